/** What goes between the pool and a thread that runs the code of evaluators. Plain values only. */

export interface CodeTask {
	readonly language: "javascript" | "typescript";
	readonly source: string;
	readonly timeoutMs: number;
	readonly memoryMib: number;
	/** The inputs as JSON; absent to find out only whether the code can be run. */
	readonly inputs?: string;
}

/** What the code returned, before it is compared with the outputs of its version. */
export type Returned =
	| { readonly type: "undefined" | "function" | "symbol" | "bigint" | "too_large" }
	| { readonly type: "number"; readonly value: number | null; readonly text: string }
	| { readonly type: "string"; readonly value: string }
	| { readonly type: "boolean"; readonly value: boolean }
	/** Numbers that JSON does not have are `{"$number": "NaN"}`. */
	| { readonly type: "object"; readonly value: unknown };

export interface CodeFault {
	readonly code: "code_error" | "code_timeout" | "code_memory" | "code_off" | "too_long";
	readonly message: string;
	/** Of the user's code, from 1. */
	readonly line?: number;
}

export type CodeOutcome = (
	| { readonly returned: Returned; readonly fault?: undefined }
	| { readonly fault: CodeFault; readonly returned?: undefined }
) & {
	/** What it wrote with `console`. */
	readonly log: string;
	/** Nothing else is to be run in the same thread. */
	readonly endsThread?: true;
};

export type ToThread = CodeTask;

export type FromThread =
	| "ready"
	/** The user's code begins: from now on its time counts. */
	| "running"
	| CodeOutcome;

/** Bytes of JSON. */
export const MAX_INPUTS_BYTES = 8 * 1024 * 1024;
export const MAX_RESULT = 256 * 1024;
export const MAX_LOG = 16 * 1024;
