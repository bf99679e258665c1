import { expect, test } from "vitest";
import { isNeverRange, zoneOf } from "./address-zones.ts";

test.each([
	["127.0.0.1", "loopback"],
	["127.255.0.9", "loopback"],
	["::1", "loopback"],
	["::ffff:127.0.0.1", "loopback"],
	["0:0:0:0:0:ffff:7f00:1", "loopback"],
	["10.0.0.1", "private"],
	["172.31.255.255", "private"],
	["192.168.1.1", "private"],
	["100.64.0.1", "private"],
	["fd12:3456::1", "private"],
	["::ffff:10.0.0.1", "private"],
	["64:ff9b::10.0.0.1", "private"],
	["2002:a00:1::1", "private"],
	["::ffff:0:10.0.0.1", "private"],
	["::ffff:0:7f00:1", "loopback"],
	["64:ff9b:1::a00:1", "private"],
	["64:ff9b:1:7f00:1::", "private"],
	["::10.0.0.1", "private"],
	["8.8.8.8", "public"],
	["172.32.0.1", "public"],
	["2606:4700::1111", "public"],
	["64:ff9b::8.8.8.8", "public"],
])("%s is %s", (address, zone) => {
	expect(zoneOf(address)).toBe(zone);
});

test.each([
	"0.0.0.0",
	"::",
	"::ffff:0.0.0.0",
	"169.254.169.254",
	"::ffff:169.254.169.254",
	"64:ff9b::a9fe:a9fe",
	"2002:a9fe:a9fe::1",
	"::ffff:0:169.254.169.254",
	"2001:0:a9fe:a9fe::1",
	"fe80::1",
	"fe80::1%eth0",
	"[fe80::1]",
	"fd00:ec2::254",
	"100.100.100.200",
	"168.63.129.16",
	"224.0.0.1",
	"ff02::1",
	"255.255.255.255",
	"240.0.0.1",
	"64:ff9b:1::a9fe:a9fe",
	"64:ff9b:1:a9fe:a9:fe00::",
	"64:ff9b:1:7:a9:fea9:fe00:0",
])("T202: %s is never asked", (address) => {
	expect(zoneOf(address)).toBeUndefined();
});

test.each(["169.254.0.0/16", "169.254.169.0/24", "224.0.0.1", "fe80::/64", "fd00:ec2::254", "::", "0.0.0.0/8"])(
	"no request may be sent to any address of %s",
	(range) => {
		expect(isNeverRange(range)).toBe(true);
	},
);

test.each(["0.0.0.0/0", "169.254.0.0/15", "::/0", "10.0.0.0/8", "127.0.0.1", "fd00::/8", "2001:db8::/32"])(
	"there may be addresses of %s to which requests are sent",
	(range) => {
		expect(isNeverRange(range)).toBe(false);
	},
);
