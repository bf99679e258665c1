/** After sysexits.h: wrong usage, wrong input, wrong setting. */
export const EXIT_USAGE = 64;
export const EXIT_DATA = 65;
export const EXIT_SETTINGS = 78;

/** Ends a command with a message and an exit code. */
export class CommandError extends Error {
	override readonly name = "CommandError";
	readonly exitCode: number;

	constructor(exitCode: number, message: string) {
		super(message);
		this.exitCode = exitCode;
	}
}
