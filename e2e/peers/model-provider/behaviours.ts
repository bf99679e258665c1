/** What a model does other than answer at once as its provider would. */
export interface Behaviour {
	readonly delayMs?: number;
	readonly paceMs?: number;
	readonly silent?: "at once" | "after first";
	readonly reset?: true;
	/** The behaviours hold for so many requests of the model, then it answers as usual. */
	readonly times?: number;
	readonly status?: number;
	/** The error repeats the key of the request. */
	readonly echo?: true;
	readonly hint?: { readonly kind: "retry" | "retry-ms" | "retry-date" | "limit-reset"; readonly amount: number };
	readonly refusal?: "quota" | "overloaded" | "unknown-model" | "context" | "filter-prompt";
	readonly refuses?: readonly string[];
	readonly garbage?: "html" | "not-json" | "empty";
	readonly redirect?: number;
	readonly stream?: "cut" | "no-end" | "no-done" | "bad-event" | "error-event";
	readonly bigEventMiB?: number;
	readonly floodMiB?: number;
	readonly encoding?: "gzip" | "gzip-bomb";
	/** The body is written in pieces of 7 bytes. */
	readonly split?: true;
	readonly content?: "text" | "tools" | "tools-2" | "refusal" | "prose" | "filter";
	readonly reasoning?: true;
	readonly words?: number;
	readonly length?: true;
	readonly noUsage?: true;
	readonly input?: number;
	readonly output?: number;
	readonly cacheRead?: number;
	readonly cacheWrite?: number;
	readonly answeredBy?: string;
}

interface Form {
	/** As README.md has it. */
	readonly form: string;
	readonly read: (numbers: readonly number[], words: readonly string[]) => Behaviour;
	readonly pattern: RegExp;
}

/** `<n>` in the form is a number, `<word>` a word; both are read in order. */
function form(text: string, read: Form["read"]): Form {
	const pattern = text.replaceAll(/<(\w+)>/g, (_match, name) => (name === "word" ? "([\\w.:-]+)" : "(\\d+)"));
	return { form: text, read, pattern: new RegExp(`^${pattern}$`) };
}

/** Every word of a model's name that means something; README.md says what. */
export const FORMS: readonly Form[] = [
	form("slow-<ms>", ([delayMs = 0]) => ({ delayMs })),
	form("pace-<ms>", ([paceMs = 0]) => ({ paceMs })),
	form("silent", () => ({ silent: "at once" })),
	form("silent-after-first", () => ({ silent: "after first" })),
	form("reset", () => ({ reset: true })),
	form("times-<n>", ([times = 0]) => ({ times })),
	form("status-<code>", ([status = 500]) => ({ status })),
	form("status-<code>-echo", ([status = 500]) => ({ status, echo: true })),
	form("status-<code>-retry-<s>", ([status = 500, amount = 0]) => ({ status, hint: { kind: "retry", amount } })),
	form("status-<code>-retry-ms-<ms>", ([status = 500, amount = 0]) => ({ status, hint: { kind: "retry-ms", amount } })),
	form("status-<code>-retry-date-<s>", ([status = 500, amount = 0]) => ({
		status,
		hint: { kind: "retry-date", amount },
	})),
	form("status-<code>-limit-reset-<s>", ([status = 500, amount = 0]) => ({
		status,
		hint: { kind: "limit-reset", amount },
	})),
	form("quota", () => ({ refusal: "quota" })),
	form("overloaded", () => ({ refusal: "overloaded" })),
	form("unknown-model", () => ({ refusal: "unknown-model" })),
	form("context", () => ({ refusal: "context" })),
	form("filter-prompt", () => ({ refusal: "filter-prompt" })),
	form("refuses-<word>", (_numbers, [word = ""]) => ({ refuses: [word] })),
	form("html", () => ({ garbage: "html" })),
	form("not-json", () => ({ garbage: "not-json" })),
	form("empty", () => ({ garbage: "empty" })),
	form("redirect", () => ({ redirect: 302 })),
	form("redirect-<code>", ([redirect = 302]) => ({ redirect })),
	form("cut", () => ({ stream: "cut" })),
	form("no-end", () => ({ stream: "no-end" })),
	form("no-done", () => ({ stream: "no-done" })),
	form("bad-event", () => ({ stream: "bad-event" })),
	form("error-event", () => ({ stream: "error-event" })),
	form("big-event", () => ({ bigEventMiB: 5 })),
	form("big-event-<MiB>", ([bigEventMiB = 5]) => ({ bigEventMiB })),
	form("flood", () => ({ floodMiB: 100 })),
	form("flood-<MiB>", ([floodMiB = 100]) => ({ floodMiB })),
	form("gzip", () => ({ encoding: "gzip" })),
	form("gzip-bomb", () => ({ encoding: "gzip-bomb" })),
	form("split", () => ({ split: true })),
	form("text", () => ({ content: "text" })),
	form("tools", () => ({ content: "tools" })),
	form("tools-2", () => ({ content: "tools-2" })),
	form("refusal", () => ({ content: "refusal" })),
	form("prose", () => ({ content: "prose" })),
	form("filter", () => ({ content: "filter" })),
	form("reasoning", () => ({ reasoning: true })),
	form("words-<n>", ([words = 1]) => ({ words })),
	form("length", () => ({ length: true })),
	form("no-usage", () => ({ noUsage: true })),
	form("input-<n>", ([input = 1]) => ({ input })),
	form("output-<n>", ([output = 1]) => ({ output })),
	form("cache-read-<n>", ([cacheRead = 0]) => ({ cacheRead })),
	form("cache-write-<n>", ([cacheWrite = 0]) => ({ cacheWrite })),
	form("answered-by-<word>", (_numbers, [answeredBy = ""]) => ({ answeredBy })),
];

/** @throws when there is no such behaviour */
export function readBehaviour(word: string): Behaviour {
	const behaviour = findBehaviour(word);
	if (behaviour === undefined) throw new Error(`there is no behaviour "${word}"`);
	return behaviour;
}

/** What the words of a model's name say, which are joined by `+`; words that mean nothing are just a name. */
export function behaviourOfName(model: string): Behaviour {
	// A router's name has the provider before it, Gemini's the folder.
	const name = model.slice(model.lastIndexOf("/") + 1);
	return joinBehaviours(name.split("+").flatMap((word) => findBehaviour(word) ?? []));
}

export function joinBehaviours(behaviours: readonly Behaviour[]): Behaviour {
	const refuses = behaviours.flatMap((behaviour) => behaviour.refuses ?? []);
	return Object.assign({}, ...behaviours, refuses.length === 0 ? {} : { refuses });
}

function findBehaviour(word: string): Behaviour | undefined {
	for (const { pattern, read } of FORMS) {
		const match = pattern.exec(word);
		if (match !== null) return read(match.slice(1).map(Number), match.slice(1));
	}
	return undefined;
}
