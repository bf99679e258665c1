import { amountValue, firstText, textValue } from "../attribute-values.ts";
import type { Attributes, Plain } from "../model.ts";
import { type AgentEvent, type AgentMessage, type AgentReading, type SpanKey, TURN } from "./agent-event.ts";

/** A coding agent whose events are read. */
export interface AgentSender {
	/** As people call it. */
	readonly name: string;
	/** What names of its events begin with; `events` has them without it. */
	readonly prefix: string;
	readonly session: readonly string[];
	/** Attributes that name the turn of an event; without one, the trace is the session. */
	readonly turn: readonly string[];
	/** Whether spans have that of the turn as parent although no event names turns. */
	readonly hasSessionSpan?: boolean;
	readonly user?: readonly string[];
	readonly events: Readonly<Record<string, EventRule>>;
}

/** How an event is read. */
export interface EventRule {
	readonly as: "turn" | "prompt" | "model" | "tool" | "decision" | "step" | "answer";
	/** Only events of the name of which this is true. */
	readonly when?: (attributes: Attributes) => boolean;
	readonly title: (attributes: Attributes) => string | undefined;
	/** Attributes that identify the span, if the event has all; otherwise its name, time and sequence do, or all of it. */
	readonly key?: readonly string[];
	/** Milliseconds. */
	readonly duration?: readonly string[];
	readonly start?: (event: AgentEvent) => bigint | undefined;
	readonly renamed?: Readonly<Record<string, string>>;
	readonly added?: (attributes: Attributes) => Readonly<Record<string, Plain | undefined>>;
	readonly error?: (attributes: Attributes) => string | undefined;
	readonly messages?: (attributes: Attributes) => readonly (AgentMessage | undefined)[];
}

/** What spans of an event are, in the names of OpenTelemetry's convention and of OpenInference. */
const ADDED: Readonly<Record<Exclude<EventRule["as"], "answer">, Readonly<Record<string, string>>>> = {
	turn: { "gen_ai.operation.name": "invoke_agent" },
	prompt: { "openinference.span.kind": "CHAIN" },
	model: { "gen_ai.operation.name": "chat" },
	tool: { "gen_ai.operation.name": "execute_tool" },
	decision: { "openinference.span.kind": "DECISION" },
	step: {},
};

const NANOS_PER_MS = 1_000_000;
/** A week. What claims to have taken longer has no plausible duration. */
const MOST_MS = 604_800_000;

/** Undefined when the event is none of those that are kept. */
export function readBy(sender: AgentSender, event: AgentEvent): AgentReading | undefined {
	const known = event.name.slice(sender.prefix.length);
	const rule = Object.hasOwn(sender.events, known) ? sender.events[known] : undefined;
	const { attributes, nanos } = event;
	if (rule === undefined || rule.when?.(attributes) === false || nanos <= 0n) return undefined;
	const session = firstText(attributes, sender.session);
	const turn = firstText(attributes, sender.turn);
	if (session === undefined && turn === undefined) return undefined;
	const trace = [sender.name, session ?? "", turn ?? ""];
	const hasParent = turn !== undefined || sender.hasSessionSpan === true;
	const key = rule.as === "turn" && hasParent ? TURN : keyOf(rule, known, event);
	const messages = (rule.messages?.(attributes) ?? [])
		.filter((message) => message !== undefined)
		.filter(({ of }) => hasParent || of !== TURN);
	if (rule.as === "answer") return messages.length === 0 ? undefined : { trace, messages };
	const start = rule.start?.(event) ?? startOf(rule, event);
	const added = new Map<string, Plain>(Object.entries(ADDED[rule.as]));
	if (rule.as === "turn") added.set("gen_ai.agent.name", sender.name);
	if (session !== undefined && !attributes.has("session.id")) added.set("session.id", session);
	const user = firstText(attributes, sender.user ?? []);
	if (user !== undefined && !attributes.has("user.id")) added.set("user.id", user);
	for (const [name, value] of Object.entries(rule.added?.(attributes) ?? {})) {
		if (value !== undefined) added.set(name, value);
	}
	return {
		trace,
		span: {
			key,
			parent: rule.as === "turn" || !hasParent ? undefined : TURN,
			name: rule.title(attributes) ?? known,
			isCall: rule.as === "model",
			start,
			end: rule.as === "turn" ? start : nanos,
			error: rule.error?.(attributes),
			renamed: new Map(Object.entries(rule.renamed ?? {})),
			added,
		},
		messages,
	};
}

function keyOf(rule: EventRule, known: string, { attributes, nanos, digest }: AgentEvent): SpanKey {
	const named = (rule.key ?? []).map((name) => textValue(attributes.get(name)));
	if (named.length > 0 && named.every((text) => text !== undefined)) return [rule.as, ...named];
	return [known, String(nanos), textValue(attributes.get("event.sequence")) ?? digest()];
}

function startOf({ duration }: EventRule, { attributes, nanos }: AgentEvent): bigint {
	for (const name of duration ?? []) {
		const ms = amountValue(attributes.get(name));
		if (ms === undefined || ms < 0 || ms > MOST_MS) continue;
		const start = nanos - BigInt(Math.round(ms * NANOS_PER_MS));
		return start > 0n ? start : nanos;
	}
	return nanos;
}

type Titled = (attributes: Attributes) => string | undefined;

/** The names of the convention: the operation, and what it is done with. */
export const CHAT = titled("chat", "model");

export function titled(operation: string, attribute: string): Titled {
	return (attributes) => [operation, textValue(attributes.get(attribute)) ?? ""].join(" ").trim();
}

/** What was decided about a tool. */
export const DECIDED: Titled = (attributes) =>
	titled(textValue(attributes.get("decision")) ?? "decide", "tool_name")(attributes);

/** A message with the text of an attribute; undefined where there is none. */
export function messageOf(
	attributes: Attributes,
	from: string,
	of: SpanKey,
	eventName: AgentMessage["eventName"],
): AgentMessage | undefined {
	const text = attributes.get(from);
	return typeof text === "string" && text !== "" ? { of, eventName, text } : undefined;
}

/** Why a tool or a call failed, by an attribute that says whether it succeeded and others that say why not. */
export function failure(why: readonly string[]): (attributes: Attributes) => string | undefined {
	return (attributes) => {
		const success = attributes.get("success");
		return success === false || success === "false" ? (firstText(attributes, why) ?? "failed") : undefined;
	};
}
