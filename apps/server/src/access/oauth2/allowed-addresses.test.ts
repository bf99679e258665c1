import { describe, expect, test } from "vitest";
import { AllowedAddresses } from "./allowed-addresses.ts";

const HOME = "id.example.com";

describe("T202: a provider whose name resolves to another address over time", () => {
	test.each([
		["8.8.8.8", "127.0.0.1"],
		["127.0.0.1", "8.8.8.8"],
	])("stays a public one: %s, then %s", (...answers) => {
		const allowed = new AllowedAddresses(HOME);
		for (const answer of answers) allowed.learn(HOME, [answer]);
		allowed.learn(HOME, ["127.0.0.1", "169.254.1.1"]);
		expect(allowed.allows("127.0.0.1", "127.0.0.1")).toBe(false);
		expect(allowed.allows("localhost", "127.0.0.1")).toBe(false);
		expect(allowed.allows("db.example.com", "10.0.0.1")).toBe(false);
		expect(allowed.allows("keys.example.com", "8.8.4.4")).toBe(true);
	});

	test("stays private after it was this machine's", () => {
		const allowed = new AllowedAddresses(HOME);
		for (const answer of ["10.0.0.1", "127.0.0.1"]) allowed.learn(HOME, [answer]);
		expect(allowed.allows("keys.example.com", "10.0.0.2")).toBe(true);
		expect(allowed.allows("127.0.0.1", "127.0.0.1")).toBe(false);
	});
});

test("what other names resolve to changes nothing", () => {
	const allowed = new AllowedAddresses(HOME);
	allowed.learn("keys.example.com", ["127.0.0.1"]);
	expect(allowed.allows("127.0.0.1", "127.0.0.1")).toBe(false);
	expect(allowed.allows("10.0.0.1", "10.0.0.1")).toBe(false);
});
