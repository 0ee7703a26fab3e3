/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SB_CORTEX_M_REGISTERS_H
#define SB_CORTEX_M_REGISTERS_H
/** @file
 *  System control space of ARMv7-M (DDI 0403, B3). */
#include <stdint.h>

#define SB_REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

#define SYST_CSR SB_REGISTER(0xe000e010u)
#define SYST_RVR SB_REGISTER(0xe000e014u)
#define SYST_CVR SB_REGISTER(0xe000e018u)
#define SYST_CSR_ENABLE 1u
#define SYST_CSR_TICKINT 2u
#define SYST_CSR_CLKSOURCE 4u
#define SYST_CSR_COUNTFLAG 0x10000u

#define NVIC_ISER(word) SB_REGISTER(0xe000e100u + 4u * (word))
#define NVIC_ICER(word) SB_REGISTER(0xe000e180u + 4u * (word))
#define NVIC_IPR(line) (*(volatile uint8_t *)(uintptr_t)(0xe000e400u + (line)))

#define ICSR SB_REGISTER(0xe000ed04u)
#define ICSR_PENDSVSET (1u << 28)
#define ICSR_PENDSVCLR (1u << 27)
#define ICSR_PENDSTSET (1u << 26)
#define ICSR_PENDSTCLR (1u << 25)
#define CCR SB_REGISTER(0xe000ed14u)
#define CCR_STKALIGN (1u << 9)
/** Priority of the system exceptions 4 to 15. */
#define SHPR(exception) (*(volatile uint8_t *)(uintptr_t)(0xe000ed14u + (exception)))
#define SHCSR SB_REGISTER(0xe000ed24u)
#define SHCSR_FAULTS (7u << 16)
#define CFSR SB_REGISTER(0xe000ed28u)
#define CFSR_MMARVALID (1u << 7)
#define CFSR_BFARVALID (1u << 15)
#define MMFAR SB_REGISTER(0xe000ed34u)
#define BFAR SB_REGISTER(0xe000ed38u)

#define EXCEPTION_SVC 11u
#define EXCEPTION_PENDSV 14u
#define EXCEPTION_SYSTICK 15u
#define EXCEPTION_EXTERNAL 16u

#endif
