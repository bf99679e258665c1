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
