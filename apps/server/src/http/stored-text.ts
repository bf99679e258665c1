import { z } from "zod";

/** A text of a request that is stored and found again: NUL and unpaired surrogates would not come back. */
export function storedText(maxLength: number) {
	return z
		.string()
		.max(maxLength)
		.refine((text) => !text.includes("\0") && text.isWellFormed(), "it has a NUL or half of a surrogate pair");
}

/** A name that people and programs give to what they make. */
export const storedName = storedText(1_000).refine((text) => text.trim() !== "", "a name has at least one character");
