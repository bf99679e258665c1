import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../certificates");
const SCRIPT = join(FOLDER, "make.sh");
/** Written last, so that a run that was interrupted makes them anew. */
const STAMP = join(FOLDER, "made-by.txt");

/**
 * Makes the certificates and keys that make.sh lists, beside it, unless they are there as it says.
 * @throws when openssl is not there or refuses
 */
export function makeCertificates(): void {
	const script = readFileSync(SCRIPT, "utf8");
	if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === script) return;
	rmSync(STAMP, { force: true });
	execFileSync("sh", [SCRIPT], { stdio: ["ignore", "ignore", "pipe"] });
	writeFileSync(STAMP, script);
}
