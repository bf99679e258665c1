/** After sysexits.h: the command was called wrongly, what it was given is wrong, a setting is. */
export const EXIT_USAGE = 64;
export const EXIT_DATA = 65;
export const EXIT_SETTINGS = 78;

/** Ends a command with a sentence and an exit code. */
export class CommandError extends Error {
	override readonly name = "CommandError";
	readonly exitCode: number;

	constructor(exitCode: number, message: string) {
		super(message);
		this.exitCode = exitCode;
	}
}
