import { z } from "zod";

/** The name of a prompt or a tag, for use in programs. */
export const identifierName = z
	.string()
	.max(1_000)
	.regex(/^[a-z0-9]([_a-z0-9-]*[a-z0-9])?$/, "String should match pattern '^[a-z0-9]([_a-z0-9-]*[a-z0-9])?$'")
	.describe("Lower-case letters, digits, `-` and `_`; it begins and ends with a letter or digit.");
