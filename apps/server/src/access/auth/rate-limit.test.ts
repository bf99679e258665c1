import { expect, test } from "vitest";
import { UserError } from "#base/errors.ts";
import { IpLimits, networkOf } from "./rate-limit.ts";

function createLimits(off = false) {
	const clock = { now: 1_000_000 };
	const limits = new IpLimits({ SERVICE_DISABLE_RATE_LIMIT: off }, () => clock.now);
	/** Undefined, or the seconds to wait. */
	const take = (ip: string) => {
		try {
			limits.take({ ip });
		} catch (error) {
			if (!(error instanceof UserError) || error.status !== 429) throw error;
			return error.retryAfter;
		}
		return undefined;
	};
	return { clock, take };
}

test("an address has 12 attempts at once, then one every 5 seconds", () => {
	const { clock, take } = createLimits();
	for (let attempt = 1; attempt <= 12; attempt++) expect(take("192.0.2.1")).toBeUndefined();
	expect(take("192.0.2.1")).toBe(5);
	expect(take("192.0.2.2")).toBeUndefined();
	clock.now += 4_000;
	expect(take("192.0.2.1")).toBe(1);
	clock.now += 1_000;
	expect(take("192.0.2.1")).toBeUndefined();
	expect(take("192.0.2.1")).toBe(5);
	clock.now += 60_000;
	for (let attempt = 1; attempt <= 12; attempt++) expect(take("192.0.2.1")).toBeUndefined();
	expect(take("192.0.2.1")).toBe(5);
});

test("the addresses of one IPv6 network share its attempts", () => {
	const { take } = createLimits();
	for (let host = 1; host <= 12; host++) expect(take(`2001:db8:1:2::${host}`)).toBeUndefined();
	expect(take("2001:0DB8:1:2:a:b:c:d")).toBe(5);
	expect(take("2001:db8:1:3::1")).toBeUndefined();
});

test("T022 a million addresses do not make the limit grow or forget the busiest ones", () => {
	const { take } = createLimits();
	for (let attempt = 1; attempt <= 12; attempt++) take("192.0.2.1");
	for (let host = 0; host < 200_000; host++) {
		take(`2001:db8:${(host >> 16).toString(16)}:${(host & 0xffff).toString(16)}::1`);
		if (host % 10_000 === 0) expect(take("192.0.2.1")).toBeDefined();
	}
});

test("SERVICE_DISABLE_RATE_LIMIT switches the limits off", () => {
	const { take } = createLimits(true);
	for (let attempt = 1; attempt <= 100; attempt++) expect(take("192.0.2.1")).toBeUndefined();
});

test.each([
	["127.0.0.1", "127.0.0.1"],
	["127.0.0.1:4711", "127.0.0.1"],
	["::ffff:127.0.0.1", "127.0.0.1"],
	["0:0:0:0:0:FFFF:127.0.0.1", "127.0.0.1"],
	["::1", "0:0:0:0"],
	["2001:db8::", "2001:db8:0:0"],
	["2001:DB8:0:1::5", "2001:db8:0:1"],
	["1:2:3:4:5:6:7:8", "1:2:3:4"],
	["fe80::1%eth0", "fe80:0:0:0"],
])("%s counts as %s", (ip, network) => {
	expect(networkOf(ip)).toBe(network);
});
