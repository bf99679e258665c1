import type { ProjectLimits } from "#access/rights/sender-rights.ts";
import { NO_ACCESS, noAccess } from "./answers.ts";
import type { DecodedExport, Undecodable } from "./decode-export.ts";

/** Longest list of names in an answer: the trailers of gRPC have little room. */
const MOST_LISTED_CHARACTERS = 800;

/** Parsed limits by their text; most exports have those of one before. */
const parsed = new Map<string, Allowed>();
const MOST_PARSED = 100;

interface Allowed {
	readonly limits: ProjectLimits;
	readonly names: ReadonlySet<string>;
}

/** Reads {@link ProjectLimits} from their JSON. */
export function readLimits(text: string): Allowed {
	const known = parsed.get(text);
	if (known !== undefined) return known;
	const limits = JSON.parse(text) as ProjectLimits;
	const read = { limits, names: new Set("only" in limits ? limits.only : limits.except) };
	if (parsed.size >= MOST_PARSED) parsed.clear();
	parsed.set(text, read);
	return read;
}

/** Leaves out what is for projects that the sender may not write; when that is all, the export is refused. */
export function limitExport(decoded: DecodedExport, text: string | undefined): DecodedExport | Undecodable {
	if (text === undefined) return decoded;
	const { limits, names } = readLimits(text);
	const refused = new Map<string, boolean>();
	let count = 0;
	const isAllowed = ({ projectName }: { readonly projectName: string }) => {
		let isRefused = refused.get(projectName);
		if (isRefused === undefined) {
			// A database may store a name with NUL as another one.
			isRefused = projectName.includes("\0") || names.has(projectName) !== "only" in limits;
			refused.set(projectName, isRefused);
		}
		if (isRefused) count += 1;
		return !isRefused;
	};
	const spans = decoded.spans.filter(isAllowed);
	const logs = decoded.logs.filter(isAllowed);
	if (count === 0) return decoded;
	const left = [...refused].filter(([, isRefused]) => isRefused).map(([name]) => name);
	// Some may have been left out before, when it was decided first.
	const before = decoded.rejections.filter(({ reason }) => reason === NO_ACCESS);
	const others = decoded.rejections.filter(({ reason }) => reason !== NO_ACCESS);
	const rejection = {
		reason: NO_ACCESS,
		count: before.reduce((sum, rejected) => sum + rejected.count, count),
		message: [...before.map(({ message }) => message), `Sending to ${listNames(left)} ${neededBy(limits)}.`].join(" "),
	};
	const isAll = spans.length + logs.length + decoded.ignoredLogRecords === 0 && others.every((one) => one.count === 0);
	if (isAll) return { refused: noAccess(rejection.count, rejection.message) };
	return { ...decoded, spans, logs, rejections: [...others, rejection] };
}

function neededBy(limits: ProjectLimits): string {
	if ("except" in limits) return "needs the role editor there: ask a manager of the project, or an admin";
	if (limits.why === "key_limited")
		return "needs a key that is not limited to other projects, whose owner has the role editor there";
	return "needs the role editor there, and members may not create projects: ask a manager of the project, or an admin";
}

function listNames(names: readonly string[]): string {
	const quoted: string[] = [];
	let characters = 0;
	for (const name of names) {
		characters += name.length;
		if (quoted.length > 0 && characters > MOST_LISTED_CHARACTERS) break;
		quoted.push(JSON.stringify(name));
	}
	const more = names.length - quoted.length;
	return more === 0 ? quoted.join(", ") : `${quoted.join(", ")} and ${more} more projects`;
}
