import type { z } from "zod";
import type { Step } from "../sign-in/steps.ts";
import type { SignInStep } from "./schemas.ts";

const MAX_STEPS = 60;
const MAX_FACTS = 120;
const MAX_SETTINGS = 20;
const MAX_TEXT = 2_000;
/** In all texts of a report's steps together, and in all of its claims. */
const MAX_CHARACTERS = 200_000;
const MAX_DEPTH = 8;
const MAX_ENTRIES = 200;
/** Values in all claims together. */
const MAX_VALUES = 2_000;

const NOT_SHOWN = "(not shown)";
const LEFT_OUT = "(left out)";
/** Names of claims that are credentials, or that bind a token to another one. */
const SECRET_NAME =
	/token|secret|passw|credential|cookie|assertion|nonce|_hash$|^(jti|sid|code|session_state|private_key)$/i;
/** RFC 7515, 7.1 */
const JWT = /^ey[\w-]+\.[\w-]*\.[\w-]*/;

/** Steps as they are kept and sent: a provider or directory may have put anything of any size into them. */
export function boundedSteps(steps: readonly Step[]): z.output<typeof SignInStep>[] {
	const cut = createCut();
	return steps.slice(0, MAX_STEPS).map(({ name, outcome, text, settings, facts }) => ({
		name,
		outcome,
		text: cut(text),
		settings: settings.slice(0, MAX_SETTINGS),
		facts: facts.slice(0, MAX_FACTS).map((fact) => ({ name: cut(fact.name), value: cut(fact.value) })),
	}));
}

/** Claims as they are kept and sent: without credentials, and bounded. */
export function boundedClaims(claims: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const cut = createCut();
	let left = MAX_VALUES;

	function bounded(value: unknown, depth: number): unknown {
		left -= 1;
		if (left < 0) return LEFT_OUT;
		if (typeof value === "string") return JWT.test(value) ? NOT_SHOWN : cut(value);
		if (typeof value !== "object" || value === null) return value;
		if (depth >= MAX_DEPTH) return LEFT_OUT;
		return Array.isArray(value)
			? value.slice(0, MAX_ENTRIES).map((item) => bounded(item, depth + 1))
			: boundedObject(value, depth + 1);
	}

	function boundedObject(value: object, depth: number): Record<string, unknown> {
		return Object.fromEntries(
			Object.entries(value)
				.slice(0, MAX_ENTRIES)
				.map(([name, member]) => [cut(name), SECRET_NAME.test(name) ? NOT_SHOWN : bounded(member, depth)]),
		);
	}

	return boundedObject(claims, 0);
}

function createCut(): (text: string) => string {
	let left = MAX_CHARACTERS;
	return (text) => {
		const kept = text.slice(0, Math.min(MAX_TEXT, left)).toWellFormed();
		left -= kept.length;
		return kept.length < text.length ? `${kept}…` : kept;
	};
}
