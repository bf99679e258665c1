import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../certificates");
const SCRIPT = join(FOLDER, "make.sh");
/** The files that were made, and by what; written last, so that a run that was interrupted makes them anew. */
const STAMP = join(FOLDER, "made-by.txt");

/**
 * Makes the certificates and keys that make.sh lists, beside it, unless they are there as it says.
 * @throws when openssl is not there or refuses
 */
export function makeCertificates(): void {
	if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === describeFolder()) return;
	rmSync(STAMP, { force: true });
	execFileSync("sh", [SCRIPT], { stdio: ["ignore", "ignore", "pipe"] });
	writeFileSync(STAMP, describeFolder());
}

function describeFolder(): string {
	const files = readdirSync(FOLDER).filter((name) => /\.(pem|key)$/.test(name));
	return `${files.toSorted().join("\n")}\n${readFileSync(SCRIPT, "utf8")}`;
}
