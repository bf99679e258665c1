/** What programs that call a command can rely on: docs/command-line.md. */
export const EXIT = {
	success: 0,
	/** A condition is not met: something was refused, rejected or has regressed. */
	condition: 1,
	usage: 2,
	notAllowed: 3,
	notFound: 4,
	/** The server cannot be reached, or failed. */
	server: 5,
	/** 128 + SIGINT, as shells report it. */
	interrupted: 130,
} as const;

/** Ends a command with a sentence for people and an exit code. */
export class CommandFailure extends Error {
	override readonly name = "CommandFailure";
	readonly exitCode: number;

	constructor(exitCode: number, message: string) {
		super(message);
		this.exitCode = exitCode;
	}
}

/** Arguments that cannot be understood. */
export function usageFailure(message: string): CommandFailure {
	return new CommandFailure(EXIT.usage, message);
}
