import { counted } from "./plural.ts";

/** Texts of the password policy. */
export const passwordTexts = {
	rules: "A new password needs",
	met: "done",
	atLeast: (n: number) => `at least ${counted(n, "character", "characters")}`,
	upper: "an upper-case letter",
	lower: "a lower-case letter",
	digit: "a digit",
	special: "one of !@#$%^&*()_+",
	noControl: "no control characters",
	notLonger: "at most 1,024 bytes",
};
