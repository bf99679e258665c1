/** A call as a line of a stack names it, before own code is told from libraries. */
export interface Call {
	/** As `Frame.module`. */
	readonly module: string;
	readonly function: string;
	/** The file's path with `/`, if the line has one; empty otherwise. */
	readonly path: string;
	readonly isLibrary: boolean;
}

/**
 * The calls of an exception, innermost first; then those of its cause, of the cause of that, and so on. Undefined where
 * the text is no stack of the language.
 */
export type ReadStack = (lines: readonly string[]) => readonly (readonly Call[])[] | undefined;
