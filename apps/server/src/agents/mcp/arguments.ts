import { z } from "zod";

export const MIN_TOKENS = 500;
export const MAX_TOKENS = 50_000;
export const DEFAULT_TOKENS = 4_000;

/** Arguments that several tools have. */
export const maxTokens = z
	.int()
	.min(MIN_TOKENS)
	.max(MAX_TOKENS)
	.default(DEFAULT_TOKENS)
	.describe("Size of the answer in tokens, counted as 4 bytes each. What does not fit is left out, and counted.");
export const project = z.string().min(1).max(4_096).describe("Name or id of the project.");
export const limit = z.int().min(1).max(100).default(20).describe("How many to answer at most.");
export const cursor = z.string().max(1_024).optional().describe("next_cursor of the answer before, to go on.");
export const traceId = z.string().min(1).max(255).describe("The trace's id, usually 32 hex digits.");
export const spanId = z.string().min(1).max(255).describe("The span's id, usually 16 hex digits.");
/** Beside a filter that is a condition. */
export const words = z.string().max(500).optional().describe("Words that all occur, beside a condition.");
export const startTime = z.iso
	.datetime({ offset: true })
	.optional()
	.describe("Only what started at or after this time.");
export const endTime = z.iso.datetime({ offset: true }).optional().describe("Only what started before this time.");

export const idempotencyKey = z
	.string()
	.regex(/^[\x21-\x7e]{1,255}$/)
	.optional()
	.describe(
		"Any text of yours. Sent again with the same one, after an answer that got lost, the call changes nothing more.",
	);
/** An object of any JSON. */
export const jsonRecord = z.record(z.string(), z.json());

/** Members of answers that several tools have. */
export const nextCursor = z.string().nullable().describe("Ask again with it to go on; null at the end.");
export const link = z.string().describe("Address of its page.");
