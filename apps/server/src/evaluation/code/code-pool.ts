import { Worker } from "node:worker_threads";
import { type CodeFault, type CodeOutcome, type CodeTask, type FromThread, MAX_INPUTS_BYTES } from "./code-messages.ts";

/** After its own limit, a run has so long to end by itself before its thread is ended. */
const GRACE_MS = 1_000;
/** For starting a thread, leaving out types and making an instance. */
const PREPARATION_MS = 15_000;
/** A thread without work for so long ends, to give its memory back. */
const IDLE_MS = 60_000;
const OLD_GENERATION_MEBIBYTES = 256;
const STACK_MEBIBYTES = 8;

/** What runs of code are counted by. */
export interface CodeMeter {
	readonly noteRun: (seconds: number) => void;
	readonly noteKill: () => void;
}

export interface CodeRunner {
	/** Never rejects: what goes wrong is a fault. */
	run(task: CodeTask): Promise<CodeOutcome>;
}

interface Waiting {
	readonly task: CodeTask;
	readonly answer: (outcome: CodeOutcome) => void;
}

/**
 * Threads that run the code of evaluators, one run at a time each. A thread is ended when its run does not end in time, and
 * another one is started for the next run.
 */
export class CodePool implements CodeRunner, AsyncDisposable {
	readonly #meter: CodeMeter;
	readonly #most: number;
	readonly #idleMs: number;
	readonly #threads = new Set<CodeThread>();
	readonly #waiting: Waiting[] = [];
	#isDisposed = false;

	/** @param threads 0 to run no code */
	constructor(threads: number, meter: CodeMeter, { idleMs = IDLE_MS }: { readonly idleMs?: number } = {}) {
		this.#most = threads;
		this.#meter = meter;
		this.#idleMs = idleMs;
	}

	/** How many threads there are now. */
	get threads(): number {
		return this.#threads.size;
	}

	run(task: CodeTask): Promise<CodeOutcome> {
		const refused = this.#refusal(task);
		if (refused !== undefined) return Promise.resolve({ fault: refused, log: "" });
		return new Promise((answer) => {
			this.#waiting.push({ task, answer });
			this.#next();
		});
	}

	#refusal({ inputs = "" }: CodeTask): CodeFault | undefined {
		if (this.#isDisposed) return { code: "code_error", message: "The server is about to stop" };
		if (this.#most === 0) {
			return { code: "code_off", message: "Code evaluators are off: SERVICE_CODE_EVALUATOR_WORKERS is 0" };
		}
		const bytes = Buffer.byteLength(inputs);
		if (bytes <= MAX_INPUTS_BYTES) return undefined;
		return { code: "too_long", message: `The inputs have ${bytes} bytes of JSON, ${MAX_INPUTS_BYTES} at most` };
	}

	#next(): void {
		if (this.#waiting.length === 0) return;
		let thread = [...this.#threads].find(({ isFree }) => isFree);
		if (thread === undefined) {
			if (this.#threads.size >= this.#most) return;
			thread = new CodeThread(this.#meter, this.#idleMs, (ended) => {
				this.#threads.delete(ended);
				this.#next();
			});
			this.#threads.add(thread);
		}
		const next = this.#waiting.shift();
		if (next === undefined) return;
		void thread.run(next.task).then((outcome) => {
			next.answer(outcome);
			this.#next();
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#isDisposed = true;
		const stopped: CodeOutcome = { fault: { code: "code_error", message: "The server is about to stop" }, log: "" };
		for (const { answer } of this.#waiting.splice(0)) answer(stopped);
		await Promise.all([...this.#threads].map((thread) => thread.end()));
	}
}

class CodeThread {
	readonly #worker: Worker;
	readonly #meter: CodeMeter;
	readonly #idleMs: number;
	readonly #ready: Promise<void>;
	#becomeReady: () => void = () => {};
	#run: { readonly answer: (outcome: CodeOutcome) => void; readonly timeoutMs: number; startedAt: number } | undefined;
	#timer: NodeJS.Timeout | undefined;
	#isEnding = false;

	constructor(meter: CodeMeter, idleMs: number, onEnd: (ended: CodeThread) => void) {
		this.#meter = meter;
		this.#idleMs = idleMs;
		this.#ready = new Promise((resolve) => {
			this.#becomeReady = resolve;
		});
		this.#worker = new Worker(new URL("./code-thread.ts", import.meta.url), {
			name: "code evaluators",
			// What escapes from the sandbox finds no secret here.
			env: {},
			argv: [],
			execArgv: ["--disable-warning=ExperimentalWarning"],
			resourceLimits: { maxOldGenerationSizeMb: OLD_GENERATION_MEBIBYTES, stackSizeMb: STACK_MEBIBYTES },
		});
		this.#worker.unref();
		this.#worker.on("message", (message: FromThread) => this.#onMessage(message));
		this.#worker.on("error", () => {
			// It takes no further run, though it exits a little later.
			this.#isEnding = true;
			this.#settle(DIED);
		});
		this.#worker.on("exit", () => {
			this.#isEnding = true;
			this.#becomeReady();
			this.#settle(DIED);
			onEnd(this);
		});
	}

	get isFree(): boolean {
		return this.#run === undefined && !this.#isEnding;
	}

	run(task: CodeTask): Promise<CodeOutcome> {
		clearTimeout(this.#timer);
		this.#worker.ref();
		return new Promise((answer) => {
			this.#run = { answer, timeoutMs: task.timeoutMs, startedAt: performance.now() };
			this.#endAfter(PREPARATION_MS);
			void this.#ready.then(() => {
				if (!this.#isEnding) this.#worker.postMessage(task);
			});
		});
	}

	async end(): Promise<void> {
		this.#isEnding = true;
		await this.#worker.terminate();
	}

	#onMessage(message: FromThread): void {
		if (message === "ready") this.#becomeReady();
		else if (message !== "running") {
			if (message.endsThread === true) void this.end();
			this.#settle(message);
		} else if (this.#run !== undefined) {
			this.#run.startedAt = performance.now();
			this.#endAfter(this.#run.timeoutMs + GRACE_MS);
		}
	}

	#endAfter(milliseconds: number): void {
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => {
			this.#meter.noteKill();
			void this.end();
			const message = `The code took longer than ${this.#run?.timeoutMs ?? milliseconds} ms, and was ended`;
			this.#settle({ fault: { code: "code_timeout", message }, log: "" });
		}, milliseconds);
	}

	#settle(outcome: CodeOutcome): void {
		clearTimeout(this.#timer);
		const run = this.#run;
		if (run === undefined) return;
		this.#run = undefined;
		this.#meter.noteRun((performance.now() - run.startedAt) / 1_000);
		this.#worker.unref();
		if (!this.#isEnding) this.#timer = setTimeout(() => void this.end(), this.#idleMs).unref();
		run.answer(outcome);
	}
}

const DIED: CodeOutcome = {
	fault: { code: "code_memory", message: "The code ended its thread: it needs more memory than there is" },
	log: "",
};
