import { toJsonText } from "#http/json-values.ts";
import type { VariantContent } from "./variant.ts";

/**
 * Templates with their variables filled in, as the clients do it: `clients/prompt-rendering.json` has the cases. Texts
 * are inserted as they are, everything else as JSON. `a.b` is the variable of that name, else `b` of the variable `a`.
 * What is inserted is not read again.
 */

type Format = NonNullable<VariantContent["template_format"]>;
type Variables = Readonly<Record<string, unknown>>;

/** The name is a group; what matches without one is an escaped brace. */
const PATTERNS: Readonly<Record<Format, RegExp | undefined>> = {
	MUSTACHE: /\{\{\s*([\p{L}\p{M}\p{N}_.-]+)\s*\}\}/gu,
	// As in Python, where a conversion and a format may follow the name.
	F_STRING: /\{\{|\}\}|\{([\p{L}\p{M}\p{N}_.-]+)(?:![rsa])?(?::[^{}]*)?\}/gu,
	NONE: undefined,
};

/** Characters that a template may become: a short one may name a long value many times. */
const MAX_RENDERED = 8_388_608;

export class RenderedTooLong extends Error {
	override readonly name = "RenderedTooLong";

	constructor() {
		super(`With its values filled in, the template has more than ${MAX_RENDERED} characters.`);
	}
}

/** Fills the variables of one template in, over all of its texts. */
export class TemplateFiller {
	/** Names of variables that have no value. */
	readonly missing = new Set<string>();
	readonly #format: Format;
	readonly #variables: Variables;
	#length = 0;

	constructor(format: Format, variables: Variables) {
		this.#format = format;
		this.#variables = variables;
	}

	/** @throws RenderedTooLong */
	fill(text: string): string {
		return replaceVariables(text, this.#format, (name, found) => {
			const value = this.#find(name);
			if (value === undefined) {
				this.missing.add(name);
				return found;
			}
			const inserted = typeof value === "string" ? value : toJsonText(value);
			this.#length += inserted.length;
			if (this.#length > MAX_RENDERED) throw new RenderedTooLong();
			return inserted;
		});
	}

	/** Of the variable with this name, else by the path. */
	#find(name: string): unknown {
		if (Object.hasOwn(this.#variables, name)) return this.#variables[name];
		let value: unknown = this.#variables;
		for (const key of name.split(".")) {
			if (typeof value !== "object" || value === null) return undefined;
			if (Array.isArray(value) ? !/^\d+$/.test(key) : !Object.hasOwn(value, key)) return undefined;
			value = Reflect.get(value, key);
		}
		return value;
	}
}

/**
 * A text with something in the places of its variables.
 * @param replace gets the name of a variable, and the whole place
 */
export function replaceVariables(
	text: string,
	format: Format,
	replace: (name: string, place: string) => string,
): string {
	const pattern = PATTERNS[format];
	if (pattern === undefined) return text;
	return text.replace(pattern, (place: string, name: string | undefined) =>
		name === undefined ? place.slice(1) : replace(name, place),
	);
}

/** Whether a text names variables, or has braces that count as such. */
export function hasVariables(text: string, format: Format): boolean {
	const pattern = PATTERNS[format];
	return pattern !== undefined && text.search(pattern) !== -1;
}

export type RenderedMessages =
	| { readonly messages: VariantContent["messages"] }
	| { readonly missing: readonly string[] };

/**
 * The messages of a variant with the variables filled in, or the names of those that have no value.
 * @throws RenderedTooLong
 */
export function renderMessages(
	{ messages, template_format: format = "MUSTACHE" }: Pick<VariantContent, "messages" | "template_format">,
	variables: Variables,
): RenderedMessages {
	const filler = new TemplateFiller(format, variables);
	const rendered = messages.map(({ role, content }) => ({
		role,
		content:
			typeof content === "string"
				? filler.fill(content)
				: content.map((part) => (part.type === "text" ? { ...part, text: filler.fill(part.text) } : part)),
	}));
	return filler.missing.size > 0 ? { missing: [...filler.missing] } : { messages: rendered };
}
