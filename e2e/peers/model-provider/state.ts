import { type Behaviour, behaviourOfName, joinBehaviours, readBehaviour } from "./behaviours.ts";
import type { ModelCall } from "./call.ts";
import type {
	ConnectRequest,
	Control,
	Counters,
	GivenAnswer,
	ModelControl,
	ProxyControl,
	RecordedRequest,
	TokenControl,
} from "./control.ts";

const MAX_REQUESTS = 20_000;
const MAX_BYTES = 256 * 1_048_576;

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** A request that is being answered, or was. */
export type RequestEntry = Writable<Omit<RecordedRequest, "body">> & { readonly body: Buffer };

interface ModelState {
	readonly counters: Writable<Counters>;
	/** Requests since something was set for the model. */
	seen: number;
	/** Answers that were given out of those of the control. */
	given: number;
}

/** What was set, and what has happened since. */
export class ProviderState {
	keys: readonly string[] | undefined;
	listed: readonly string[] | undefined;
	redirectTo: string | undefined;
	tokens: TokenControl = {};
	proxy: ProxyControl = {};
	readonly connects: ConnectRequest[] = [];
	readonly #issued = new Set<string>();
	readonly #names = new Map<string, Behaviour>();
	#controls = new Map<string, ModelControl>();
	#models = new Map<string, ModelState>();
	#requests: RequestEntry[] = [];
	#bytes = 0;
	#number = 0;

	set(control: Control): void {
		if (control.reset) this.#reset();
		for (const [name, model] of Object.entries(control.models ?? {})) this.#setModel(name, model);
		if (control.keys !== undefined) this.keys = control.keys ?? undefined;
		if (control.listed !== undefined) this.listed = control.listed ?? undefined;
		if (control.redirectTo !== undefined) this.redirectTo = control.redirectTo ?? undefined;
		this.tokens = { ...this.tokens, ...control.tokens };
		this.proxy = { ...this.proxy, ...control.proxy };
	}

	/** Takes a request into the record; the oldest go when there are too many. */
	record(request: Omit<RequestEntry, "number" | "startedAt" | "wasCancelled">): RequestEntry {
		const entry = { ...request, number: ++this.#number, startedAt: Date.now(), wasCancelled: false };
		this.#requests.push(entry);
		this.#bytes += entry.body.length;
		if (this.#requests.length > MAX_REQUESTS || this.#bytes > MAX_BYTES) this.#forgetOldest();
		return entry;
	}

	/** Counts a call of a model as running. */
	begin(entry: RequestEntry, model: string): void {
		for (const { counters } of [this.#stateOf(model), this.#stateOf("")]) {
			counters.requests++;
			counters.running++;
			counters.most = Math.max(counters.most, counters.running);
		}
		const state = this.#stateOf(model);
		state.seen++;
		entry.model = model;
		entry.concurrency = state.counters.running;
	}

	end(entry: RequestEntry): void {
		entry.endedAt = Date.now();
		if (entry.model === undefined) return;
		for (const { counters } of [this.#stateOf(entry.model), this.#stateOf("")]) {
			// A reset in between has begun to count anew.
			counters.running = Math.max(0, counters.running - 1);
			if (entry.wasCancelled) counters.cancelled++;
		}
	}

	/** Those of the model's name or those that were set, as long as they hold. */
	behaviourOf(model: string): Behaviour {
		const words = this.#controlOf(model)?.behaviours;
		const behaviour = words === undefined ? this.#behaviourOfName(model) : joinBehaviours(words.map(readBehaviour));
		const isOver = behaviour.times !== undefined && this.#stateOf(model).seen > behaviour.times;
		return isOver ? {} : behaviour;
	}

	nextAnswer(call: ModelCall): GivenAnswer | undefined {
		const control = this.#controlOf(call.model);
		const rule = control?.when?.find(({ contains }) => call.messages.some(({ text }) => text.includes(contains)));
		if (rule !== undefined) return rule.answer;
		const answers = control?.answers ?? [];
		const state = this.#stateOf(call.model);
		return answers[Math.min(state.given++, answers.length - 1)];
	}

	/** A new token, which is taken from now on. */
	issueToken(): string {
		const token = `token-${this.#issued.size + 1}-of-the-stand-in`;
		this.#issued.add(token);
		return token;
	}

	isKnown(key: string): boolean {
		return this.keys === undefined || this.keys.includes(key) || this.#issued.has(key);
	}

	listRequests(after: number): readonly RecordedRequest[] {
		const later = this.#requests.filter(({ number }) => number > after);
		return later.map(({ body, ...entry }) => ({ ...entry, body: body.toString("base64") }));
	}

	count(): { readonly total: Counters; readonly models: Readonly<Record<string, Counters>> } {
		const models = Array.from(this.#models, ([name, { counters }]) => [name, counters] as const);
		const { "": total = newCounters(), ...rest } = Object.fromEntries(models);
		return { total, models: rest };
	}

	#reset(): void {
		this.keys = undefined;
		this.listed = undefined;
		this.redirectTo = undefined;
		this.tokens = {};
		this.proxy = {};
		this.connects.length = 0;
		this.#issued.clear();
		this.#controls = new Map();
		this.#models = new Map();
		this.#requests = [];
		this.#bytes = 0;
		this.#number = 0;
	}

	#setModel(name: string, control: ModelControl | null): void {
		// A behaviour that is not known is told to who sets it.
		for (const word of control?.behaviours ?? []) readBehaviour(word);
		if (control === null) this.#controls.delete(name);
		else this.#controls.set(name, control);
		Object.assign(this.#stateOf(name), { given: 0, seen: 0 });
	}

	#controlOf(model: string): ModelControl | undefined {
		return this.#controls.get(model) ?? this.#controls.get("*");
	}

	#stateOf(model: string): ModelState {
		const state = this.#models.get(model) ?? { counters: newCounters(), seen: 0, given: 0 };
		this.#models.set(model, state);
		return state;
	}

	#behaviourOfName(model: string): Behaviour {
		const behaviour = this.#names.get(model) ?? behaviourOfName(model);
		this.#names.set(model, behaviour);
		return behaviour;
	}

	#forgetOldest(): void {
		const gone = this.#requests.splice(0, Math.ceil(this.#requests.length / 4));
		for (const { body } of gone) this.#bytes -= body.length;
	}
}

function newCounters(): Writable<Counters> {
	return { requests: 0, running: 0, most: 0, cancelled: 0 };
}
