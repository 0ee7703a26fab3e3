# SPDX-License-Identifier: Apache-2.0
# What a domain's object still needs must not be the kernel's: it would link, and fault when it is called.
#
#   cmake -DNM=nm -DOBJECT=file -DDOMAIN=name -P domain.cmake
execute_process(COMMAND ${NM} -u ${OBJECT} OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[ \n](sb|port)_[A-Za-z0-9_]+" kernels "${needed}")
list(FILTER kernels EXCLUDE REGEX "^[ \n]sb_param_")
if(kernels)
  string(REGEX REPLACE "[ \n;]+" " " names "${kernels}")
  message(FATAL_ERROR "the domain ${DOMAIN} uses what only trusted tasks have:${names} (docs/isolation.md lists the calls of domains)")
endif()
