import type { Attributes, Plain } from "../model.ts";

/** A log record that a coding agent has sent as an event. */
export interface AgentEvent {
	/** With the agent's prefix. */
	readonly name: string;
	readonly attributes: Attributes;
	/** When it was sent, in nanoseconds since 1970: what it tells of has ended then. */
	readonly nanos: bigint;
	/** What stands for all that the event says; the same for one that comes again. */
	readonly digest: () => string;
}

/** What an event says of a session. All ids come from texts of the event alone, so that order and repeats do not matter. */
export interface AgentReading {
	/** What identifies the trace: the agent, the session and, where events name it, the turn. */
	readonly trace: readonly string[];
	readonly span?: AgentSpan;
	/** Texts that join a span of the trace, whichever comes first. */
	readonly messages: readonly AgentMessage[];
}

export interface AgentSpan {
	/** What identifies it in the trace. */
	readonly key: SpanKey;
	/** Undefined for a root. */
	readonly parent: SpanKey | undefined;
	readonly name: string;
	/** A call of something outside of the agent. */
	readonly isCall: boolean;
	/** Nanoseconds since 1970. */
	readonly start: bigint;
	readonly end: bigint;
	/** Why it failed; undefined when it did not. */
	readonly error: string | undefined;
	/** Contents that the span has under another name, for which there is a convention; in `added` they win. */
	readonly renamed: ReadonlyMap<string, string>;
	/** Further attributes. */
	readonly added: ReadonlyMap<string, Plain>;
}

export type SpanKey = readonly string[];

/** A GenAI event of a span, as which a text of an agent's event is stored. */
export interface AgentMessage {
	readonly of: SpanKey;
	readonly eventName: "gen_ai.user.message" | "gen_ai.choice";
	readonly text: string;
}

/** The span of a whole turn, or of a session whose events name no turns. */
export const TURN: SpanKey = ["turn"];
