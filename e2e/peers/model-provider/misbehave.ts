import type { Behaviour } from "./behaviours.ts";
import { type ErrorKind, type IncomingCall, ProviderError, type Wire } from "./call.ts";
import type { Exchange } from "./exchange.ts";
import type { JsonObject } from "./json.ts";
import type { ProviderState } from "./state.ts";

const HTML = "<!doctype html>\n<html><head><title>Welcome</title></head><body><h1>Please log in</h1></body></html>\n";
const REDIRECTED = "/redirected";

/** Does what a behaviour has in place of an answer, and says whether it did. */
export async function misbehave(
	exchange: Exchange,
	wire: Wire,
	incoming: IncomingCall,
	model: string,
	behaviour: Behaviour,
	state: ProviderState,
): Promise<boolean> {
	if (behaviour.delayMs !== undefined) await exchange.wait(behaviour.delayMs);
	if (behaviour.silent === "at once") return exchange.beSilent();
	if (behaviour.reset) {
		await exchange.cut();
		return true;
	}
	if (behaviour.redirect !== undefined) {
		exchange.answer(behaviour.redirect, { location: state.redirectTo ?? REDIRECTED }, "");
		return true;
	}
	if (behaviour.garbage !== undefined) {
		answerGarbage(exchange, behaviour.garbage, behaviour.status ?? 200);
		return true;
	}
	const error = chooseError(wire, incoming, model, behaviour);
	if (error === undefined) return false;
	answerError(exchange, wire, incoming, error, behaviour.hint);
	return true;
}

function answerGarbage(exchange: Exchange, garbage: "html" | "not-json" | "empty", status: number): void {
	if (garbage === "html") exchange.answer(status, { "content-type": "text/html; charset=utf-8" }, HTML);
	else
		exchange.answer(status, { "content-type": "application/json" }, garbage === "empty" ? "" : '{"id":"answer","cho');
}

function chooseError(
	wire: Wire,
	incoming: IncomingCall,
	model: string,
	behaviour: Behaviour,
): ProviderError | undefined {
	const { refusal, status } = behaviour;
	if (refusal === "unknown-model") return wire.refuse("not_found", model);
	if (refusal === "filter-prompt") return wire.refuse("filter", model);
	if (refusal !== undefined) return wire.refuse(refusal, model);
	if (status === undefined) return undefined;
	const kind = kindOf(status);
	const { message } = wire.refuse(kind, model) ?? { message: "" };
	const echo = behaviour.echo ? ` You provided: ${wire.keyOf(incoming)}` : "";
	return new ProviderError(kind, status, message + echo);
}

function kindOf(status: number): ErrorKind {
	const kinds: Readonly<Record<number, ErrorKind>> = {
		401: "authentication",
		402: "quota",
		403: "permission",
		404: "not_found",
		429: "rate_limit",
		503: "overloaded",
		529: "overloaded",
	};
	return kinds[status] ?? (status < 500 ? "invalid" : "server");
}

export function answerError(
	exchange: Exchange,
	wire: Wire,
	incoming: Pick<IncomingCall, "path" | "headers">,
	error: ProviderError,
	hint?: Behaviour["hint"],
): void {
	const { status = error.status, headers = {}, body } = wire.writeError(error, incoming);
	const streamed = /:streamGenerateContent$/.test(incoming.path) && status === 200;
	if (streamed) exchange.answer(status, { "content-type": wire.streamType }, `data: ${JSON.stringify(body)}\n\n`);
	else exchange.answerJson(status, withHint(wire, body, hint), { ...headers, ...hintHeaders(wire, hint) });
}

/** How long to wait, as providers tell it. */
function hintHeaders({ name }: Wire, hint: Behaviour["hint"]): Readonly<Record<string, string>> {
	if (hint === undefined) return {};
	const { kind, amount } = hint;
	const at = new Date(Date.now() + amount * 1_000);
	switch (kind) {
		case "retry":
			return { "retry-after": String(amount) };
		case "retry-ms":
			return { "retry-after-ms": String(amount) };
		case "retry-date":
			return { "retry-after": at.toUTCString() };
		case "limit-reset":
			if (name === "gemini") return {};
			return name === "anthropic"
				? {
						"anthropic-ratelimit-requests-limit": "50",
						"anthropic-ratelimit-requests-remaining": "0",
						"anthropic-ratelimit-requests-reset": at.toISOString(),
					}
				: {
						"x-ratelimit-limit-requests": "60",
						"x-ratelimit-remaining-requests": "0",
						"x-ratelimit-reset-requests": `${amount}s`,
					};
	}
}

/** Google says it in the body. */
function withHint({ name }: Wire, body: JsonObject, hint: Behaviour["hint"]): JsonObject {
	if (name !== "gemini" || hint?.kind !== "limit-reset") return body;
	const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${hint.amount}s` };
	return { error: { ...(body["error"] as JsonObject), details: [retry] } };
}
