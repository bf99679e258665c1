import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { UserError } from "#base/errors.ts";
import { PasswordHasher } from "./passwords.ts";

test("a password matches its own hash only, whichever form of Unicode it is typed in", async () => {
	const hasher = new PasswordHasher();
	const phc = await hasher.hash("pässword");
	expect(await hasher.verify(phc, "pa\u0308ssword")).toBe(true);
	expect(await hasher.verify(phc, "pässwore")).toBe(false);
	expect(await hasher.verify(null, "pässword")).toBe(false);
	expect(await hasher.verify(await hasher.hash(""), "x".repeat(1_025))).toBe(false);
	expect(hasher.isOutdated(phc)).toBe(false);
	expect(hasher.isOutdated(phc.replace("t=2", "t=1"))).toBe(true);
});

test("T012 when 200 are waiting, further log-ins are told to try again", async () => {
	const hasher = new PasswordHasher();
	const results = await Promise.allSettled(Array.from({ length: 260 }, () => hasher.verify(null, "x")));
	const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
	expect(refused).toHaveLength(60 - availableParallelism());
	for (const error of refused) {
		expect(error).toBeInstanceOf(UserError);
		expect(error).toMatchObject({ status: 503, retryAfter: 2 });
	}
	expect(await hasher.verify(await hasher.hash("abcd"), "abcd")).toBe(true);
});
