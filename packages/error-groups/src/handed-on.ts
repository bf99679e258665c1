import { type Failure, lastPartOfType } from "./failure.ts";

/** The failures below a span that count. */
export interface Below {
	/** Last parts of types of exceptions. */
	readonly types: Set<string>;
	readonly normalizedMessages: Set<string>;
}

/** In a trace, so many messages are looked for in others at the most. */
const MAX_COMPARISONS = 1_000_000;

/** With how many messages below it each of so many failures is compared: all of them, but in a trace of thousands. */
export function comparisonsPerFailure(failures: number): number {
	return Math.max(4, Math.floor(MAX_COMPARISONS / Math.max(1, failures)));
}

/**
 * Whether a span failed only because one below it did: it says nothing itself, or has the same type of exception, or a
 * message that contains, or is contained in, one below. Below more different messages than are compared, only an equal
 * one counts.
 */
export function isHandedOn(failure: Failure, below: Below | undefined, comparisons: number): boolean {
	if (below === undefined) return false;
	if (failure.saysNothing) return true;
	if (failure.type !== "" && below.types.has(lastPartOfType(failure.type))) return true;
	return messagesOf(failure).some((message) => isAmong(message, below.normalizedMessages, comparisons));
}

function isAmong(message: string, below: ReadonlySet<string>, comparisons: number): boolean {
	if (below.has(message)) return true;
	if (below.size > comparisons) return false;
	for (const other of below) if (other.includes(message) || message.includes(other)) return true;
	return false;
}

/** Without one, a message is contained in everything. */
const WORD = /[\p{L}\p{N}]/u;

/** Each level of a framework may wrap the message of the one below in words of its own. */
function messagesOf({ normalizedMessage, wrappedMessage = "" }: Failure): string[] {
	return [normalizedMessage, wrappedMessage].filter((message) => WORD.test(message));
}

/** Adds a failure to those below the next span; changes `below`. */
export function withFailure(below: Below | undefined, failure: Failure): Below {
	const added = below ?? { types: new Set<string>(), normalizedMessages: new Set<string>() };
	if (failure.type !== "") added.types.add(lastPartOfType(failure.type));
	for (const message of messagesOf(failure)) added.normalizedMessages.add(message);
	return added;
}

/** Adds the smaller to the larger, so that a deep trace takes no more time than a wide one; changes both. */
export function joined(a: Below | undefined, b: Below | undefined): Below | undefined {
	if (a === undefined || b === undefined) return a ?? b;
	const [large, small] = sizeOf(a) >= sizeOf(b) ? [a, b] : [b, a];
	for (const type of small.types) large.types.add(type);
	for (const message of small.normalizedMessages) large.normalizedMessages.add(message);
	return large;
}

function sizeOf({ types, normalizedMessages }: Below): number {
	return types.size + normalizedMessages.size;
}
