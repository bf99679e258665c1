import type { AccessCheck, CheckedHome } from "@spanward/client";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { findTyped } from "../../../homes/access-queries.ts";
import { api } from "../../../lib/api.ts";
import { accessTexts as TEXTS } from "../../../texts/access-en.ts";
import { Button } from "../../../ui/button.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { SettingsPart } from "../project/settings-part.tsx";
import { CsvLink } from "./csv-link.tsx";

const route = getRouteApi("/settings/access");
const MAY = ["read", "ingest", "annotate", "write", "manage"] as const;

function checkQuery(subject: string, project: string | undefined) {
	return queryOptions({
		queryKey: ["access-check", subject, project],
		queryFn: async ({ signal }) =>
			(await api.get("/v1/access_check", { query: { subject, ...(project ? { project } : {}) }, signal })).data,
		staleTime: 0,
	});
}

/** What somebody may do in a project, or everywhere, and why; the address names whom and where. */
export function CheckSection(): ReactNode {
	const { subject, project } = route.useSearch();
	const navigate = route.useNavigate();
	const [typed, setTyped] = useState("");
	const [where, setWhere] = useState(project ?? "");
	const [error, setError] = useState<string>();
	const submit = async (event: SyntheticEvent) => {
		event.preventDefault();
		setError(undefined);
		const found = typed.trim() === "" ? undefined : await findTyped(typed).catch((failed: Error) => failed);
		if (found instanceof Error) return setError(found.message);
		const named = found ? `${found.type}:${found.id}` : typed.trim() === "" ? subject : undefined;
		if (named === undefined) return setError(TEXTS.nobodyFound);
		await navigate({ search: { subject: named, ...(where.trim() ? { project: where.trim() } : {}) } });
	};
	return (
		<SettingsPart title={TEXTS.check} text={TEXTS.checkText}>
			<form onSubmit={(event) => void submit(event)} className="flex flex-wrap items-start gap-2">
				<Field label={TEXTS.checkWhom} error={error}>
					<Input value={typed} maxLength={1_000} onChange={(event) => setTyped(event.target.value)} />
				</Field>
				<Field label={TEXTS.checkProject} hint={TEXTS.checkProjectHint}>
					<Input value={where} maxLength={1_000} onChange={(event) => setWhere(event.target.value)} />
				</Field>
				<Button type="submit" className="mt-[22px]">
					{TEXTS.checkAction}
				</Button>
			</form>
			{subject !== undefined && <Answer subject={subject} project={project} />}
		</SettingsPart>
	);
}

function Answer({ subject, project }: { subject: string; project: string | undefined }): ReactNode {
	const query = useQuery(checkQuery(subject, project));
	return (
		<div role="status">
			<Loaded data={query.data} query={query}>
				{(found) => (
					<div className="flex flex-col gap-2">
						{Array.isArray(found) ? <Homes homes={found} /> : <One check={found} />}
						<CsvLink href={api.url("/v1/access_check/csv", { query: { subject, ...(project ? { project } : {}) } })} />
					</div>
				)}
			</Loaded>
		</div>
	);
}

function One({ check }: { check: AccessCheck }): ReactNode {
	const { home, sees, counts_as: role, may, because, not } = check;
	return (
		<div className="flex flex-col gap-2">
			<p className="font-medium">{sees && role ? TEXTS.sees(home.name, TEXTS.role[role]) : TEXTS.seesNot(home.name)}</p>
			<p>
				{TEXTS.mayList} {mayText(may)}
			</p>
			<Steps title={TEXTS.why} steps={because} />
			<Steps title={TEXTS.whyNot} steps={not} />
		</div>
	);
}

function mayText(may: AccessCheck["may"]): string {
	return (
		MAY.filter((each) => may[each])
			.map((each) => TEXTS.may[each])
			.join(", ") || TEXTS.mayNot
	);
}

function Steps({ title, steps }: { title: string; steps: AccessCheck["because"] }): ReactNode {
	if (steps.length === 0) return null;
	return (
		<div>
			<p className="text-muted text-sm">{title}</p>
			<ul className="list-disc pl-5">
				{steps.map(({ code, text, link }) => (
					<li key={`${code} ${text}`} className="[overflow-wrap:anywhere]">
						{link === undefined ? (
							text
						) : (
							<Link to={link} className="hover:underline">
								{text}
							</Link>
						)}
					</li>
				))}
			</ul>
		</div>
	);
}

function Homes({ homes }: { homes: readonly CheckedHome[] }): ReactNode {
	return (
		<ul className="flex flex-col border-line border-t">
			{homes.map(({ home, counts_as: role, may, reason }) => (
				<li key={home.id ?? home.type} className="border-line border-b py-1.5">
					<span className="font-medium">{home.name}</span>: {role ? TEXTS.role[role] : TEXTS.mayNot}
					<span className="block text-muted text-sm [overflow-wrap:anywhere]">
						{reason}. {TEXTS.mayList} {mayText(may)}
					</span>
				</li>
			))}
		</ul>
	);
}
