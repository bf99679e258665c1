import { SCHEMA_VERSION } from "#storage/sqlite/migrations.ts";

/**
 * Why a database with another schema version is refused.
 * @param has the beginning of the sentence: `<what> has version`
 */
export function otherVersion(has: string, version: number, does: "copies" | "checks"): string {
	return `${has} ${version} and this Spanward ${does} version ${SCHEMA_VERSION}: ${
		version > SCHEMA_VERSION
			? "use the newer Spanward that wrote it"
			: "start the server once, which upgrades it, or use the Spanward that wrote it"
	}`;
}
