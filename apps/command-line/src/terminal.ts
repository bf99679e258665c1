import { once } from "node:events";
import { styleText } from "node:util";
import { printable } from "@spanward/server/src/command-line/printable.ts";
import type { Io } from "./io.ts";

/** In JSON: C1 controls and invisible characters, which JSON would let through to a terminal. */
const UNSEEN_IN_JSON = /[\u007f-\u009f\p{Cf}\u2028\u2029]/gu;
/** What styles text; all else that a terminal acts upon is of others. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it begins what styles text
const STYLE_OR_UNSEEN = /\u001b\[[\d;]*m|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const REDRAW_MS = 200;

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

interface TerminalOptions {
	readonly json: boolean;
	readonly quiet: boolean;
	readonly color: boolean;
}

/** Where a command writes: answers on standard output, everything said about them on standard error. */
export class Terminal {
	/** Whether programs read the output. */
	readonly isJson: boolean;
	/** Columns; unlimited where the output is no terminal. */
	readonly width: number;
	/** Lines of the terminal; undefined where the output is none. */
	readonly height: number | undefined;
	/** Whether characters beyond ASCII are shown. */
	readonly isUnicode: boolean;
	readonly #io: Io;
	readonly #isQuiet: boolean;
	readonly #hasColor: boolean;
	#drawnAt = 0;
	#drawnWidth = 0;

	constructor(io: Io, { json, quiet, color }: TerminalOptions) {
		this.#io = io;
		this.isJson = json;
		this.#isQuiet = quiet;
		const { environment, stdout } = io;
		const columns = Number(environment["COLUMNS"]) || stdout.columns || (stdout.isTTY ? 80 : undefined);
		this.width = columns ?? Number.POSITIVE_INFINITY;
		this.height = stdout.isTTY ? (stdout.rows ?? 24) : undefined;
		// https://no-color.org
		this.#hasColor = color && !environment["NO_COLOR"] && stdout.isTTY === true && environment["TERM"] !== "dumb";
		const locale = environment["LC_ALL"] || environment["LC_CTYPE"] || environment["LANG"] || "C";
		this.isUnicode = /utf-?8/i.test(locale) || process.platform === "win32";
	}

	/** What stands for text that was cut off. */
	get cutMark(): string {
		return this.isUnicode ? "…" : "~";
	}

	style(text: string, ...styles: Style[]): string {
		return this.#hasColor && styles.length > 0 ? styleText(styles, text, { validateStream: false }) : text;
	}

	/** Text of others on one line: white space is a space, and what would steer the terminal is escaped. */
	oneLine(text: string): string {
		return this.#shown(printable(text.replace(/\s+/g, " ").trim()));
	}

	/** Text of others with its line breaks; what would steer the terminal is escaped. */
	lines(text: string): string[] {
		return text.split(/\r\n|\n|\r/).map((line) => this.#shown(printable(line.replaceAll("\t", "    "))));
	}

	#shown(text: string): string {
		return this.isUnicode || !this.#io.stdout.isTTY ? text : text.replace(/[^\x20-\x7e]/gu, "?");
	}

	/** Writes a line of the answer, and waits while nobody reads. What would steer the terminal is escaped, but for styles. */
	async print(line = ""): Promise<void> {
		await this.write(`${line.replace(STYLE_OR_UNSEEN, (found) => (found.length > 2 ? found : printable(found)))}\n`);
	}

	/** Writes something as it is. */
	async write(chunk: string | Uint8Array): Promise<void> {
		if (!this.#io.stdout.write(chunk)) await once(this.#io.stdout, "drain", { signal: this.#io.signal });
	}

	/** Writes a value as one line of JSON. */
	async printJson(value: unknown): Promise<void> {
		await this.write(`${toJson(value)}\n`);
	}

	/** Says something about the answer, in a line on standard error. */
	note(text: string): void {
		if (this.#isQuiet) return;
		this.endProgress();
		this.#io.stderr.write(`${printable(text)}\n`);
	}

	/** Says what somebody has to do for the command to go on, also when it is to be quiet. */
	ask(text: string): void {
		this.endProgress();
		this.#io.stderr.write(`${text}\n`);
	}

	/** Replaces the line of progress, a few times a second; nothing unless standard error is a terminal. */
	progress(text: string): void {
		const now = performance.now();
		if (this.#isQuiet || !this.#io.stderr.isTTY || now - this.#drawnAt < REDRAW_MS) return;
		this.#drawnAt = now;
		const shown = printable(text).slice(0, (this.#io.stderr.columns ?? 80) - 1);
		this.#io.stderr.write(`\r${shown.padEnd(this.#drawnWidth)}`);
		this.#drawnWidth = shown.length;
	}

	endProgress(): void {
		if (this.#drawnWidth > 0) this.#io.stderr.write(`\r${" ".repeat(this.#drawnWidth)}\r`);
		this.#drawnWidth = 0;
	}
}

/** JSON on one line that is safe to show: the same value, with invisible characters escaped. */
export function toJson(value: unknown, space?: string): string {
	return JSON.stringify(value, null, space).replace(UNSEEN_IN_JSON, (character) =>
		Array.from({ length: character.length }, (_, index) => {
			const unit = character.charCodeAt(index).toString(16).padStart(4, "0");
			return `\\u${unit}`;
		}).join(""),
	);
}
