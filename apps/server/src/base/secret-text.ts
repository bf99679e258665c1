import { inspect } from "node:util";

const SHOWN = "[secret]";

/** A text that no log line, error or dump shows; call {@link reveal} where it is needed. */
export class SecretText {
	readonly #text: string;

	constructor(text: string) {
		this.#text = text;
	}

	reveal(): string {
		return this.#text;
	}

	toString(): string {
		return SHOWN;
	}

	toJSON(): string {
		return SHOWN;
	}

	[inspect.custom](): string {
		return SHOWN;
	}
}
