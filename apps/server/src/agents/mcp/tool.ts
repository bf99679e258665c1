import type { z } from "zod";
import type { AccessPolicy } from "#http/access-policy.ts";
import type { PageLinks } from "#http/page-links.ts";
import type { Rest } from "./rest.ts";

/** A call that takes longer ends with what is known of why. */
export const CALL_MS = 10_000;
export const TOO_SLOW = `Nothing was found within ${CALL_MS / 1_000} seconds. Ask for less: a shorter time (start_time, end_time), a filter such as name == '…', or fewer items.`;

/** What a tool works with, for one call. */
export interface Call {
	readonly rest: Rest;
	readonly links: PageLinks;
	/** What is being done from now on, for a client that waits for long. */
	progress(message: string): void;
}

/** What a tool answers: data for programs, and the same as text for models. Each keeps within the call's `max_tokens`. */
export interface ToolAnswer<Output extends z.ZodType> {
	readonly data: z.output<Output>;
	readonly text: string;
}

/** A tool as clients see it, and what it does. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
	/** snake_case */
	readonly name: string;
	readonly title: string;
	/** When to use it. Never built from anything that was recorded. */
	readonly description: string;
	/** The policy of the routes that it sends requests to: it is listed to those who may call these. */
	readonly access: Extract<AccessPolicy, "read" | "annotate" | "write">;
	/** Of one that changes something: whether a second call with the same arguments changes nothing more. */
	readonly idempotent?: boolean;
	/** Of one that changes something: whether it replaces what was there. */
	readonly destructive?: boolean;
	readonly input: Input;
	readonly output: Output;
	run(args: z.output<Input>, call: Call): Promise<ToolAnswer<Output>>;
}

/** Keeps the types of a tool's arguments and answer. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(tool: Tool<Input, Output>): Tool {
	// Its arguments are parsed by its own schema before it runs.
	return tool as unknown as Tool;
}
