import { expect, it } from "vitest";
import { formatPlace, parsePlace, placeSql } from "./backup-place.ts";

it("names a disk or a named collection, and a folder there", () => {
	for (const text of ["disk:backups", "disk:my-disk/spanward/daily", "s3:spanward_backups/2026.11"]) {
		const place = parsePlace(text);
		expect(place && formatPlace(place)).toBe(text);
	}
	const sql = (text: string) => placeSql(parsePlace(text) ?? expect.fail(), "one/shard-1");
	expect(sql("disk:backups")).toBe("Disk('backups', 'one/shard-1')");
	expect(sql("s3:spanward_backups/daily")).toBe("S3(spanward_backups, 'daily/one/shard-1')");
});

it("takes no address with keys, and nothing that would say more in a statement", () => {
	const refused = [
		...[
			"",
			"backups",
			"disk:",
			"disk:/backups",
			"s3:https://key:secret@bucket.example/x",
			"file:x",
			"s3:my-collection",
		],
		...["disk:a'b", "disk:backups/a', 'b", "disk:backups/../x", "disk:backups/.", "disk:backups//x", "disk:b\\"],
		...["s3:coll, 'key'", "disk:backups\n", "disk:\u00e4"],
	];
	for (const text of refused) expect(parsePlace(text), text).toBeUndefined();
});
