import type { FastifyReply } from "fastify";
import { prefersText } from "./accept.ts";
import type { App } from "./app-type.ts";

/** `constraints` of a route that is there only for who prefers text; others get the page of the web app. */
export const FOR_TEXT = { answer: "text" } as const;

/** Lets routes have {@link FOR_TEXT}. */
export function tellTextFromPages(app: App): void {
	app.addConstraintStrategy({
		name: "answer",
		storage: () => {
			const handlers = new Map();
			return {
				get: (answer) => handlers.get(answer) ?? null,
				set: (answer, handler) => void handlers.set(answer, handler),
			};
		},
		deriveConstraint: ({ headers }) => (prefersText(headers.accept) ? FOR_TEXT.answer : undefined),
	});
}

/**
 * Sends as text what was read for the sender of a request. Fastify leaves out the hooks before serialization where the payload is
 * a string, and one of them looks at rights again after a slow read.
 */
export function sendText(reply: FastifyReply, text: string, type = "text/plain"): FastifyReply {
	return reply
		.type(`${type}; charset=utf-8`)
		.serializer((payload: { readonly text: string }) => payload.text)
		.send({ text });
}
