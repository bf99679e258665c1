import { type DestinationStream, type Logger, pino } from "pino";

/**
 * The log: JSON lines on standard error. JSON escapes line ends and ASCII control characters; C1 controls, which act on
 * some terminals, and characters that turn or hide text are escaped here, so that no line shows what was not logged.
 */
export function createLog(level: string): Logger {
	const destination = pino.destination({ dest: 2, sync: true });
	const escaping: DestinationStream = { write: (line) => destination.write(escapeUnseen(line)) };
	return pino({ level }, escaping);
}

// Outside of texts JSON has none of these but the line's end, so that escaping them in a whole line keeps it JSON.
const UNSEEN = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

export function escapeUnseen(json: string): string {
	return json.replace(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
