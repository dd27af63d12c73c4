; clang-19 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx90a -O2 -g1 -S tile.cl, without debug information at its end
	.text
	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
	.amdhsa_code_object_version 5
	.protected	tile                    ; -- Begin function tile
	.globl	tile
	.p2align	8
	.type	tile,@function
tile:                                   ; @tile
.Lfunc_begin0:
	.file	0 "tile.cl"
	.cfi_sections .debug_frame
	.cfi_startproc
; %bb.0:
	.loc	0 4 11 prologue_end             ; tile.cl:4:11
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	s_load_dword s6, s[4:5], 0x10
	.loc	0 5 10                          ; tile.cl:5:10
	v_lshlrev_b32_e32 v3, 4, v0
	.loc	0 6 11                          ; tile.cl:6:11
	v_and_b32_e32 v2, 7, v0
	.loc	0 5 10                          ; tile.cl:5:10
	v_mov_b32_e32 v1, 0
	s_waitcnt lgkmcnt(0)
	global_load_dwordx4 v[4:7], v3, s[2:3]
	.loc	0 6 3                           ; tile.cl:6:3
	v_lshlrev_b32_e32 v2, 2, v2
	.loc	0 9 21                          ; tile.cl:9:21
	s_cmp_lt_i32 s6, 1
	.loc	0 6 16                          ; tile.cl:6:16
	ds_write_b32 v2, v1 offset:1024
	.loc	0 5 8                           ; tile.cl:5:8
	s_waitcnt vmcnt(0)
	ds_write_b128 v3, v[4:7]
	.loc	0 7 3                           ; tile.cl:7:3
	s_barrier
	.loc	0 9 3                           ; tile.cl:9:3
	s_cbranch_scc1 .LBB0_3
; %bb.1:
	.loc	0 0 3 is_stmt 0                 ; tile.cl:0:3
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v3, 2
	v_mov_b32_e32 v4, v0
.LBB0_2:                                ; =>This Inner Loop Header: Depth=1
	.loc	0 10 12 is_stmt 1               ; tile.cl:10:12
	v_lshlrev_b32_sdwa v5, v3, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0
	ds_read_b32 v5, v5
	.loc	0 9 21                          ; tile.cl:9:21
	s_add_i32 s6, s6, -1
	v_add_u32_e32 v4, 4, v4
	s_cmp_eq_u32 s6, 0
	.loc	0 11 5                          ; tile.cl:11:5
	s_barrier
	.loc	0 10 9                          ; tile.cl:10:9
	s_waitcnt lgkmcnt(0)
	v_add_f32_e32 v1, v1, v5
	.loc	0 9 3                           ; tile.cl:9:3
	s_cbranch_scc0 .LBB0_2
.LBB0_3:
	.loc	0 13 59                         ; tile.cl:13:59
	v_and_b32_e32 v3, 3, v0
	.loc	0 13 51 is_stmt 0               ; tile.cl:13:51
	v_lshlrev_b32_e32 v3, 2, v3
	v_mov_b32_e32 v4, 1
	.loc	0 0 0                           ; tile.cl:0:0
	v_or_b32_e32 v2, 0x400, v2
	.loc	0 13 3                          ; tile.cl:13:3
	ds_add_u32 v3, v4 offset:1024
	.loc	0 14 18 is_stmt 1               ; tile.cl:14:18
	ds_read_b32 v2, v2
	.loc	0 14 3 is_stmt 0                ; tile.cl:14:3
	v_lshlrev_b32_e32 v0, 2, v0
	.loc	0 14 18                         ; tile.cl:14:18
	s_waitcnt lgkmcnt(0)
	v_cvt_f32_i32_e32 v2, v2
	.loc	0 14 16                         ; tile.cl:14:16
	v_add_f32_e32 v1, v1, v2
	.loc	0 14 10                         ; tile.cl:14:10
	global_store_dword v0, v1, s[0:1]
	.loc	0 15 1 is_stmt 1                ; tile.cl:15:1
	s_endpgm
.Ltmp0:
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel tile
		.amdhsa_group_segment_fixed_size 1056
		.amdhsa_private_segment_fixed_size 0
		.amdhsa_kernarg_size 20
		.amdhsa_user_sgpr_count 6
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 0
		.amdhsa_user_sgpr_queue_ptr 0
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 0
		.amdhsa_user_sgpr_flat_scratch_init 0
		.amdhsa_user_sgpr_kernarg_preload_length 0
		.amdhsa_user_sgpr_kernarg_preload_offset 0
		.amdhsa_user_sgpr_private_segment_size 0
		.amdhsa_uses_dynamic_stack 0
		.amdhsa_system_sgpr_private_segment_wavefront_offset 0
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 0
		.amdhsa_system_sgpr_workgroup_id_z 0
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 7
		.amdhsa_accum_offset 8
		.amdhsa_reserve_vcc 0
		.amdhsa_reserve_flat_scratch 0
		.amdhsa_reserve_xnack_mask 1
		.amdhsa_float_round_mode_32 0
		.amdhsa_float_round_mode_16_64 0
		.amdhsa_float_denorm_mode_32 3
		.amdhsa_float_denorm_mode_16_64 3
		.amdhsa_dx10_clamp 1
		.amdhsa_ieee_mode 1
		.amdhsa_fp16_overflow 0
		.amdhsa_tg_split 0
		.amdhsa_exception_fp_ieee_invalid_op 0
		.amdhsa_exception_fp_denorm_src 0
		.amdhsa_exception_fp_ieee_div_zero 0
		.amdhsa_exception_fp_ieee_overflow 0
		.amdhsa_exception_fp_ieee_underflow 0
		.amdhsa_exception_fp_ieee_inexact 0
		.amdhsa_exception_int_div_zero 0
	.end_amdhsa_kernel
	.text
.Lfunc_end0:
	.size	tile, .Lfunc_end0-tile
	.cfi_endproc
                                        ; -- End function
	.section	.AMDGPU.csdata,"",@progbits
; Kernel info:
; codeLenInByte = 196
; NumSgprs: 11
; NumVgprs: 8
; NumAgprs: 0
; TotalNumVgprs: 8
; ScratchSize: 0
; MemoryBound: 0
; FloatMode: 240
; IeeeMode: 1
; LDSByteSize: 1056 bytes/workgroup (compile time only)
; SGPRBlocks: 1
; VGPRBlocks: 0
; NumSGPRsForWavesPerEU: 11
; NumVGPRsForWavesPerEU: 8
; AccumOffset: 8
; Occupancy: 8
; WaveLimiterHint : 0
; COMPUTE_PGM_RSRC2:SCRATCH_EN: 0
; COMPUTE_PGM_RSRC2:USER_SGPR: 6
; COMPUTE_PGM_RSRC2:TRAP_HANDLER: 0
; COMPUTE_PGM_RSRC2:TGID_X_EN: 1
; COMPUTE_PGM_RSRC2:TGID_Y_EN: 0
; COMPUTE_PGM_RSRC2:TGID_Z_EN: 0
; COMPUTE_PGM_RSRC2:TIDIG_COMP_CNT: 0
; COMPUTE_PGM_RSRC3_GFX90A:ACCUM_OFFSET: 1
; COMPUTE_PGM_RSRC3_GFX90A:TG_SPLIT: 0
	.text
	.p2alignl 6, 3212836864
	.fill 256, 4, 3212836864
	.hidden	__oclc_ABI_version              ; @__oclc_ABI_version
	.type	__oclc_ABI_version,@object
	.section	.rodata,"a",@progbits
	.weak	__oclc_ABI_version
	.p2align	2, 0x0
__oclc_ABI_version:
	.long	500                             ; 0x1f4
	.size	__oclc_ABI_version, 4

