import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import * as interpreter from "@jitl/quickjs-ng-wasmfile-release-sync";
import {
	type EmscriptenModuleLoaderOptions,
	newQuickJSWASMModuleFromVariant,
	newVariant,
	type QuickJSContext,
	type QuickJSHandle,
	type QuickJSSyncVariant,
	type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import type { CodeFault, CodeOutcome, Returned } from "./code-messages.ts";
import { GUEST_PRELUDE, THROWN_NULL } from "./guest-prelude.ts";

/** What is used of WebAssembly here, which the types of Node leave out. https://webassembly.github.io/spec/js-api/ */
declare global {
	namespace WebAssembly {
		class Memory {
			constructor(limits: { readonly initial: number; readonly maximum: number });
			readonly buffer: ArrayBuffer;
		}
		class Module {
			constructor(bytes: Uint8Array);
		}
		function compile(bytes: Uint8Array): Promise<Module>;
	}
}

/** Bytes of a page of linear memory. */
const PAGE = 65_536;
const MIB = 1_048_576;
/** What the module itself needs: it asks for so much at the beginning. */
const OWN_MIB = 16;
/** Memory that the inputs take, for each of their bytes. They are not counted as the code's own. */
const PER_INPUT_BYTE = 4;
const STACK_BYTES = 256 * 1024;
/** For finding out where the code was when its time was over. */
const GRACE_MS = 50;
const JOBS_AT_ONCE = 1_000;
const FILE = "evaluator.js";

export interface SandboxRun {
	readonly source: string;
	readonly timeoutMs: number;
	readonly memoryMib: number;
	readonly inputs: string | undefined;
}

/** Its types are those of a CommonJS module. */
const variant = interpreter.default as unknown as QuickJSSyncVariant;

let compiled: Promise<WebAssembly.Module> | undefined;

/** Compiles the interpreter, which each instance of it shares. */
export function loadInterpreter(): Promise<WebAssembly.Module> {
	const path = createRequire(import.meta.url).resolve("@jitl/quickjs-ng-wasmfile-release-sync/wasm");
	compiled ??= readFile(path).then((bytes) => WebAssembly.compile(bytes));
	return compiled;
}

/**
 * An instance of the interpreter with linear memory of its own. Each run has a runtime of its own in it, with globals of
 * its own; after a fault, or when it has grown, it is not to be used again.
 */
export class Sandbox {
	readonly #module: QuickJSWASMModule;
	readonly #memory: WebAssembly.Memory;
	#isSpent = false;

	private constructor(module: QuickJSWASMModule, memory: WebAssembly.Memory) {
		this.#module = module;
		this.#memory = memory;
	}

	/** @param inputBytes the most that a run in it gets */
	static async open(memoryMib: number, inputBytes: number): Promise<Sandbox> {
		const maximum = Math.ceil((OWN_MIB + memoryMib) * (MIB / PAGE) + (inputBytes * PER_INPUT_BYTE) / PAGE);
		const memory = new WebAssembly.Memory({ initial: (OWN_MIB * MIB) / PAGE, maximum });
		const silent = () => {};
		const module = await newQuickJSWASMModuleFromVariant(
			newVariant(variant, {
				wasmModule: await loadInterpreter(),
				wasmMemory: memory,
				// An abort would be written to the log of the server.
				emscriptenModule: { print: silent, printErr: silent } as EmscriptenModuleLoaderOptions,
			}),
		);
		return new Sandbox(module, memory);
	}

	/** Whether another run must not take place in it. */
	get isSpent(): boolean {
		return this.#isSpent || this.#memory.buffer.byteLength > OWN_MIB * MIB;
	}

	run(run: SandboxRun): CodeOutcome {
		this.#isSpent = true;
		try {
			const outcome = this.#inContext(run);
			// Disposing aborts the module after some faults.
			this.#isSpent = outcome.fault !== undefined;
			return outcome;
		} catch (error) {
			return { fault: hostFault(error), log: "" };
		}
	}

	#inContext({ source, timeoutMs, memoryMib, inputs }: SandboxRun): CodeOutcome {
		const runtime = this.#module.newRuntime();
		runtime.setMemoryLimit(memoryMib * MIB + (inputs?.length ?? 0) * PER_INPUT_BYTE);
		runtime.setMaxStackSize(STACK_BYTES);
		const context = runtime.newContext();
		const guest = new Guest(context);
		const deadline = performance.now() + timeoutMs;
		let endsAt = deadline;
		runtime.setInterruptHandler(() => {
			const now = performance.now();
			if (now <= endsAt) return false;
			// What comes after an interrupt finds out where it was.
			endsAt = now + GRACE_MS;
			return true;
		});
		const outcome = guest.evaluate(source, inputs, timeoutMs, () => performance.now() > deadline);
		if (outcome.fault !== undefined) return outcome;
		guest[Symbol.dispose]();
		context.dispose();
		runtime.dispose();
		return outcome;
	}
}

/** What a context runs: the prelude, the user's code, and the function of it. */
class Guest implements Disposable {
	readonly #context: QuickJSContext;
	readonly #prelude: QuickJSHandle;

	constructor(context: QuickJSContext) {
		this.#context = context;
		this.#prelude = context.unwrapResult(context.evalCode(GUEST_PRELUDE, "prelude.js"));
	}

	evaluate(source: string, inputs: string | undefined, timeoutMs: number, isLate: () => boolean): CodeOutcome {
		const context = this.#context;
		const failed = (error: QuickJSHandle): CodeOutcome => ({
			fault: this.#faultOf(error, timeoutMs, isLate),
			log: this.#readLog(),
		});
		const whole = context.evalCode(source, FILE, { type: "global" });
		if (whole.error !== undefined) return failed(whole.error);
		whole.value.dispose();
		const found = context.evalCode("typeof evaluate === 'function' ? evaluate : undefined", "find.js");
		if (found.error !== undefined) return failed(found.error);
		using evaluate = found.value;
		if (context.typeof(evaluate) !== "function") {
			return { fault: { code: "code_error", message: NO_FUNCTION }, log: this.#readLog() };
		}
		if (inputs === undefined) return { returned: { type: "undefined" }, log: this.#readLog() };
		using text = context.newString(inputs);
		using begin = context.getProp(this.#prelude, "begin");
		const begun = context.callFunction(begin, context.undefined, evaluate, text);
		if (begun.error !== undefined) return failed(begun.error);
		begun.value.dispose();
		while (context.runtime.hasPendingJob()) {
			const jobs = context.runtime.executePendingJobs(JOBS_AT_ONCE);
			if (jobs.error !== undefined) return failed(jobs.error);
			if (isLate()) return { fault: late(timeoutMs), log: this.#readLog() };
		}
		return { ...readOutcome(this.#ask("outcome"), timeoutMs), log: this.#readLog() };
	}

	/** The text that a function of the prelude gives; undefined where it fails. */
	#ask(name: "outcome" | "log" | "explain", ...given: QuickJSHandle[]): string | undefined {
		const context = this.#context;
		using ask = context.getProp(this.#prelude, name);
		const answer = context.callFunction(ask, context.undefined, ...given);
		if (answer.error !== undefined) {
			answer.error.dispose();
			return undefined;
		}
		using value = answer.value;
		return context.typeof(value) === "string" ? context.getString(value) : undefined;
	}

	#readLog(): string {
		return this.#ask("log") ?? "";
	}

	#faultOf(error: QuickJSHandle, timeoutMs: number, isLate: () => boolean): CodeFault {
		using handle = error;
		const explained = readError(this.#ask("explain", handle));
		// Also when it is reading the error that takes so long.
		if (isLate()) return late(timeoutMs, explained?.line);
		return explained === undefined ? { code: "code_memory", message: OUT_OF_MEMORY } : toFault(explained);
	}

	[Symbol.dispose](): void {
		this.#prelude.dispose();
	}
}

const NO_FUNCTION = "The code has no function evaluate: write function evaluate({ output }) { … }";
const OUT_OF_MEMORY = "The code needs more memory than it may have";
const TOO_DEEP = "The code calls itself too often: its calls nest too deeply";

function late(timeoutMs: number, line?: number): CodeFault {
	const message = `The code took longer than ${timeoutMs} ms`;
	return { code: "code_timeout", message, ...(line === undefined ? {} : { line }) };
}

interface Explained {
	readonly name: string;
	readonly message: string;
	readonly line: number | undefined;
}

/** What comes out of the sandbox is read as carefully as a request. */
function readError(text: string | undefined): Explained | undefined {
	const error: unknown = text === undefined ? undefined : JSON.parse(text);
	if (typeof error !== "object" || error === null) return undefined;
	const member = (key: string) => {
		const value: unknown = Reflect.get(error, key);
		return typeof value === "string" ? value : "";
	};
	const [, line] = /evaluator\.js:(\d{1,7})/.exec(member("stack")) ?? [];
	return { name: member("name"), message: member("message"), line: line === undefined ? undefined : Number(line) };
}

function toFault({ name, message, line }: Explained): CodeFault {
	const place = line === undefined ? {} : { line };
	// The interpreter throws it where there is no memory for an error.
	if (name === THROWN_NULL && message === "")
		return { code: "code_memory", message: `${OUT_OF_MEMORY}, or threw null` };
	if (message === "out of memory") return { code: "code_memory", message: OUT_OF_MEMORY, ...place };
	if (/stack (size exceeded|overflow)/i.test(message)) return { code: "code_error", message: TOO_DEEP, ...place };
	const words = [name, message].filter((word) => word !== "").join(": ");
	return { code: "code_error", message: words === "" ? "The code threw an error without a message" : words, ...place };
}

const RETURNED: ReadonlySet<unknown> = new Set<Returned["type"]>([
	...(["undefined", "function", "symbol", "bigint", "too_large"] as const),
	...(["number", "string", "boolean", "object"] as const),
]);

function readOutcome(
	text: string | undefined,
	timeoutMs: number,
): { readonly returned: Returned } | { readonly fault: CodeFault } {
	if (text === undefined) return { fault: late(timeoutMs) };
	const outcome = JSON.parse(text) as { state?: unknown; returned?: Returned; error?: unknown };
	const { returned } = outcome;
	if (outcome.state === "returned" && returned !== undefined && RETURNED.has(returned.type)) return { returned };
	if (outcome.state === "threw") {
		const explained = readError(JSON.stringify(outcome.error));
		return { fault: explained === undefined ? { code: "code_error", message: "The code threw" } : toFault(explained) };
	}
	if (outcome.state !== "pending") throw new SyntaxError("the outcome is none");
	return {
		fault: {
			code: "code_error",
			message: "The Promise that evaluate returned is never settled: nothing in the sandbox waits",
		},
	};
}

/** The interpreter itself failed: the host's stack was too small for it, or its memory. */
function hostFault(error: unknown): CodeFault {
	if (error instanceof RangeError && /call stack/.test(error.message)) return { code: "code_error", message: TOO_DEEP };
	// The code changed how objects are written as JSON.
	if (error instanceof SyntaxError) return { code: "code_error", message: "What the code returned cannot be read" };
	return { code: "code_memory", message: OUT_OF_MEMORY };
}
