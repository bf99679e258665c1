import { expect, test } from "vitest";
import { safeReturnPath } from "../../apps/server/src/access/oauth2/return-path.ts";
import { safeReturnUrl } from "../../apps/web/src/auth/return-url.ts";

const ORIGIN = "https://traces.example.com";
const PIECES = [
	"/",
	"\\",
	".",
	"x",
	"login",
	"e.example",
	"@",
	":",
	"?",
	"#",
	"%",
	"%2f",
	"%5C",
	"%2e",
	"%6cogin",
	"\t",
	"é",
];
const MOST_PIECES = 4;

function* texts(pieces: number, text = ""): Generator<string> {
	yield text;
	if (pieces > 0) for (const piece of PIECES) yield* texts(pieces - 1, text + piece);
}

test("T131: server and web app decide alike about where to go after signing in, and never for elsewhere", () => {
	const differing: string[] = [];
	for (const root of ["", "/app"]) {
		for (const wanted of texts(MOST_PIECES)) {
			const path = safeReturnPath(wanted, root);
			const url = new URL(path, ORIGIN);
			const stays = url.origin === ORIGIN && url.pathname.startsWith(`${root}/`) && !path.startsWith("//");
			if (!stays || path !== safeReturnUrl(wanted, root, ORIGIN)) differing.push(wanted);
		}
	}
	expect(differing).toEqual([]);
});
