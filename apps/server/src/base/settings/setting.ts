import type { z } from "zod";

/** One setting: a row of a table, a line of docs/settings.md. */
export interface Setting<T> {
	readonly schema: z.ZodType<T>;
	/** What applies when the variable is unset or empty. */
	readonly default: T;
	/** The default in the words of the docs, when it is not a plain value. */
	readonly defaultText?: string;
	/** One sentence. */
	readonly text: string;
	/** Never printed; may come from a file named by `<NAME>_FILE`. */
	readonly secret?: boolean;
	/** Understood and checked, but without effect in this version. */
	readonly planned?: boolean;
}

export type SettingTable = Readonly<Record<string, Setting<unknown>>>;

/** What a table of settings is read to. */
export type ValuesOf<Table> = {
	readonly [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never;
};

export type Environment = Readonly<Record<string, string | undefined>>;

export function setting<T>(
	schema: z.ZodType<T>,
	fallback: T,
	text: string,
	extra?: Pick<Setting<T>, "secret" | "defaultText" | "planned">,
): Setting<T> {
	return { schema, default: fallback, text, ...extra };
}

const MAX_SHOWN = 200;

/** A value in a message: in quotes, cut, without characters that act on a terminal, without the password of an address. */
export function shown(value: string): string {
	const safe = value.replace(/\/\/[^/@\s]*@/g, "//[hidden]@");
	const cut = safe.length > MAX_SHOWN ? `${safe.slice(0, MAX_SHOWN)}…` : safe;
	return JSON.stringify(cut.toWellFormed()).replace(
		/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
		(character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
	);
}
