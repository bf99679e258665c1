/** What builds can rely on: docs/gates-in-ci.md. Others than 0 to 2 are those of sysexits.h. */
export const EXIT = {
	passed: 0,
	notPassed: 1,
	/** Something failed or is missing, the work was interrupted, or this program has a fault. */
	notFinished: 2,
	usage: 64,
	unreachable: 69,
	refused: 77,
} as const;

/** Ends the program with a sentence for people and an exit code. */
export class ProgramFailure extends Error {
	override readonly name = "ProgramFailure";
	readonly exitCode: number;

	constructor(exitCode: number, message: string) {
		super(message);
		this.exitCode = exitCode;
	}
}

export function usageFailure(message: string): ProgramFailure {
	return new ProgramFailure(EXIT.usage, message);
}
