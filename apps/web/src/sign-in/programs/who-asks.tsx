import { type ReactNode, useState } from "react";
import { logOut } from "../../auth/log-out.ts";
import { currentPage } from "../../auth/return-url.ts";
import { config } from "../../lib/config.ts";
import { foreignName } from "../../lib/foreign-name.ts";
import { limitsTexts } from "../../texts/limits-en.ts";
import { programsTexts as TEXTS } from "../../texts/programs-en.ts";
import { FormAlert } from "../form-alert.tsx";
import { offline, type Refusal } from "../requests.ts";
import type { AskedAccess } from "./asked-access.ts";

export type Fact = readonly [label: string, value: ReactNode];

const MINUTE_MS = 60_000;

/** `2 minutes ago`, in full words. */
export function timeAgo(time: string, now = Date.now()): string {
	const minutes = Math.floor((now - Date.parse(time)) / MINUTE_MS);
	if (!(minutes >= 1)) return TEXTS.ago.now;
	if (minutes < 120) return TEXTS.ago.minutes(minutes);
	const hours = Math.floor(minutes / 60);
	return hours < 48 ? TEXTS.ago.hours(hours) : TEXTS.ago.days(Math.floor(hours / 24));
}

export function programName({ client }: AskedAccess): string {
	return foreignName(client.name) ?? limitsTexts.nameless;
}

/** Who asks, from where, and as whom it would act. `facts` are those of the way by which it asks. */
export function WhoAsks({ asked, facts }: { asked: AskedAccess; facts: readonly Fact[] }): ReactNode {
	const { client, user } = asked;
	const rows: readonly Fact[] = [
		[
			TEXTS.program,
			<>
				<bdi className="font-semibold">{programName(asked)}</bdi>
				<span className="block text-muted text-sm">{kindText(client)}</span>
			</>,
		],
		...facts,
		[
			TEXTS.you,
			<>
				<bdi className="font-semibold">{user.username}</bdi>
				<span className="block text-muted text-sm">
					{user.email !== null && user.email !== user.username && `${user.email}, `}
					{TEXTS.role[user.role]}
				</span>
				<LogOut />
			</>,
		],
	];
	return (
		<dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-3 gap-y-2 rounded border border-line bg-sunken px-3 py-2.5">
			{rows.map(([label, value]) => (
				<div key={label} className="contents">
					<dt className="text-muted">{label}</dt>
					<dd className="[overflow-wrap:anywhere]">{value}</dd>
				</div>
			))}
		</dl>
	);
}

function kindText({ kind, created_at, client_id }: AskedAccess["client"]): string {
	if (kind === "seeded") return TEXTS.kind.seeded;
	return kind === "metadata" ? TEXTS.kind.metadata(client_id) : TEXTS.kind[kind](timeAgo(created_at));
}

/** For who is logged in as somebody else than they want to be: they come back to this page. */
function LogOut(): ReactNode {
	const [refusal, setRefusal] = useState<Refusal>();
	const leave = async () => {
		try {
			await logOut(false, currentPage(location, config.basePath));
		} catch (error) {
			if (!(error instanceof Error)) throw error;
			setRefusal(offline());
		}
	};
	return (
		<>
			<button type="button" onClick={() => void leave()} className="text-left text-accent text-sm hover:underline">
				{TEXTS.another}
			</button>
			<FormAlert id="log-out" refusal={refusal} />
		</>
	);
}
