# SPDX-License-Identifier: Apache-2.0
# One executable per node, from the kernel, its port, the links that the node has, and the application. Each part is compiled
# against the node's own platform.h and config.h, with its own optimisation.

# Sources of a part: every C and assembler file of a folder (not of folders below it).
function(sb_sources out folder)
  file(GLOB found CONFIGURE_DEPENDS ${folder}/*.c ${folder}/*.S)
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# A part of a node, compiled for an instruction set. OBJECT rather than STATIC: a strong definition must replace a weak one wherever it lies.
function(sb_part target node march optimise)
  add_library(${target} OBJECT ${ARGN})
  target_include_directories(${target} PRIVATE ${SB_RTOS_DIR}/include ${SB_RTOS_DIR} ${SB_GENERATED_DIR}/${node})
  if(SB_NODE_${node}_DOMAINS)
    target_compile_definitions(${target} PRIVATE SB_CFG_ISOLATED=1)
  endif()
  target_compile_options(${target} PRIVATE
    -march=${march} -mabi=ilp32 -mcmodel=medany --specs=picolibc.specs
    ${optimise} -ffunction-sections -fdata-sections -fno-jump-tables -fno-common
    ${SB_PREFIX_MAPS}
    $<$<COMPILE_LANGUAGE:C>:-g -std=c11 -Wall -Wextra>
    # In version 5 the assembler writes its working folder into the line table, past every map.
    $<$<COMPILE_LANGUAGE:ASM>:-gdwarf-4>)
endfunction()

# The compiler knows its libraries by the base name, without the Z extensions.
function(sb_base_march out march)
  string(REGEX REPLACE "_.*$" "" base ${march})
  set(${out} ${base} PARENT_SCOPE)
endfunction()

# A domain of a node: its sources and the kernel's calls as they are made from user mode, linked into one object of which only
# the tasks' entries can be seen. So the calls have their public names, and no domain sees another's functions.
function(sb_domain out node domain)
  set(part ${node}_domain_${domain})
  sb_sources(calls ${SB_RTOS_DIR}/ports/riscv32/user)
  sb_part(${part} ${node} ${SB_NODE_${node}_APP_MARCH} ${SB_OPTIMISE_APP} ${SB_NODE_${node}_DOMAIN_${domain}_SOURCES} ${calls})
  target_include_directories(${part} PRIVATE ${SB_APP_DIR})
  set(seen)
  foreach(entry IN LISTS SB_NODE_${node}_DOMAIN_${domain}_ENTRIES)
    list(APPEND seen --keep-global-symbol=${entry})
  endforeach()
  sb_base_march(base ${SB_NODE_${node}_APP_MARCH})
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${part}.o)
  add_custom_command(OUTPUT ${object}
    COMMAND ${CMAKE_C_COMPILER} -march=${base} -mabi=ilp32 -nostdlib -r -o ${object}.all $<TARGET_OBJECTS:${part}>
    COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DOBJECT=${object}.all -DDOMAIN=${domain} -P ${SB_RTOS_DIR}/cmake/domain.cmake
    COMMAND ${CMAKE_OBJCOPY} ${seen} ${object}.all ${object}
    DEPENDS ${part} $<TARGET_OBJECTS:${part}> COMMAND_EXPAND_LISTS VERBATIM)
  set(${out} ${object} PARENT_SCOPE)
endfunction()

function(sb_add_node node)
  set(generated ${SB_GENERATED_DIR}/${node})
  set(level ${SB_KERNEL_LEVEL})
  set(march ${SB_NODE_${node}_MARCH})
  set(objects)

  sb_sources(kernel ${SB_RTOS_DIR}/kernel)
  # The console and the timer of a core belong to every node, and are compiled like the kernel; so are services, of which only
  # what is called gets into the image.
  foreach(folder ports/riscv32 drivers/uart drivers/timer services/heap services/timeout services/device_memory services/process)
    sb_sources(more ${SB_RTOS_DIR}/${folder})
    list(APPEND kernel ${more})
  endforeach()
  if(SB_NODE_${node}_EMULATES)
    sb_sources(more ${SB_RTOS_DIR}/ports/riscv32/multiply)
    list(APPEND kernel ${more})
  endif()
  if(SB_NODE_${node}_DOMAINS)
    foreach(folder isolation ports/riscv32/isolated)
      sb_sources(more ${SB_RTOS_DIR}/${folder})
      list(APPEND kernel ${more})
    endforeach()
  endif()
  sb_part(${node}_kernel_${level} ${node} ${march} ${SB_OPTIMISE_KERNEL} ${kernel} ${generated}/config.c)
  target_compile_options(${node}_kernel_${level} PRIVATE $<$<COMPILE_LANGUAGE:C>:-Werror>)
  list(APPEND objects $<TARGET_OBJECTS:${node}_kernel_${level}>)

  if(SB_NODE_${node}_DRIVERS)
    sb_sources(link ${SB_RTOS_DIR}/link)
    foreach(manager IN LISTS SB_NODE_${node}_MANAGERS)
      sb_sources(more ${SB_RTOS_DIR}/link/${manager})
      list(APPEND link ${more})
    endforeach()
    foreach(driver IN LISTS SB_NODE_${node}_DRIVERS)
      sb_sources(more ${SB_RTOS_DIR}/drivers/${driver})
      list(APPEND link ${more})
    endforeach()
    sb_part(${node}_link ${node} ${march} ${SB_OPTIMISE_LINK} ${link})
    target_compile_options(${node}_link PRIVATE $<$<COMPILE_LANGUAGE:C>:-Werror>)
    list(APPEND objects $<TARGET_OBJECTS:${node}_link>)
  endif()

  if(SB_NODE_${node}_SOURCES) # a node may consist of domains alone
    sb_part(${node}_app ${node} ${SB_NODE_${node}_APP_MARCH} ${SB_OPTIMISE_APP} ${SB_NODE_${node}_SOURCES})
    # Applications include the skins of other kernels by the names that these gave to their headers.
    # Programs that others wrote: their warnings are shown, and what GNU C allows is allowed.
  target_compile_options(${node}_app PRIVATE $<$<COMPILE_LANGUAGE:C>:-std=gnu11>)
  target_include_directories(${node}_app PRIVATE ${SB_APP_DIR} ${SB_RTOS_DIR}/compat/ose)
    list(APPEND objects $<TARGET_OBJECTS:${node}_app>)
  endif()

  foreach(domain IN LISTS SB_NODE_${node}_DOMAINS)
    sb_domain(object ${node} ${domain})
    list(APPEND objects ${object})
  endforeach()

  # Parts of other instruction sets go with it; its libraries are what every core of this kind can execute.
  sb_base_march(base ${march})
  add_executable(${node} ${objects})
  set_target_properties(${node} PROPERTIES SUFFIX .elf LINK_DEPENDS ${generated}/node.ld)
  target_link_options(${node} PRIVATE
    -march=${base} -mabi=ilp32 --specs=picolibc.specs -nostartfiles
    $<$<BOOL:${SB_NODE_${node}_EMULATES}>:-Wl,--wrap=sb_port_interrupt>
    -T ${generated}/node.ld -Wl,--gc-sections -Wl,--no-warn-rwx-segments -Wl,-Map=${node}.map)
endfunction()
