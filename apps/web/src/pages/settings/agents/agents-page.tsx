import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import KeyRound from "lucide-react/icons/key-round";
import { type ReactNode, useState } from "react";
import { config } from "../../../lib/config.ts";
import { useCan } from "../../../lib/me.ts";
import { agentsTexts as TEXTS } from "../../../texts/agents-en.ts";
import { texts } from "../../../texts/en.ts";
import { Button } from "../../../ui/button.tsx";
import { Chip } from "../../../ui/chip.tsx";
import { CodeBlock } from "../../../ui/code-block.tsx";
import { Field } from "../../../ui/input.tsx";
import { SegmentedControl } from "../../../ui/segmented-control.tsx";
import { Select } from "../../../ui/select.tsx";
import { CreateKeyDialog } from "../keys/create-key-dialog.tsx";
import { ownGrantsQuery } from "../programs/program-queries.ts";
import { SectionPage } from "../section-page.tsx";
import { CLIENTS, type Client, setUpOf, type Way } from "./client-set-ups.ts";
import { LastCalls } from "./last-calls.tsx";

const ADDRESS = `${config.origin}/mcp`;

/** How agents and the command line get at this server, and what agents did. */
export function AgentsPage(): ReactNode {
	const can = useCan();
	return (
		<SectionPage title={texts.settings.agents} intro={TEXTS.intro}>
			<Part
				title={TEXTS.endpoint}
				aside={<Chip tone={config.mcp ? "plain" : "warn"}>{config.mcp ? TEXTS.on : TEXTS.off}</Chip>}
			>
				<CodeBlock text={ADDRESS} label={TEXTS.address} />
				{!config.mcp && (
					<p className="max-w-prose rounded bg-warn-soft px-3 py-2 text-warn">
						{TEXTS.offText.before} <code className="font-mono">SERVICE_ENABLE_MCP=false</code> {TEXTS.offText.after}
					</p>
				)}
				{config.mcp && !config.auth.enabled && <p className="max-w-prose text-muted">{TEXTS.open}</p>}
			</Part>
			{config.mcp && <ClientSetUp />}
			<Part title={TEXTS.commandLine}>
				<p className="max-w-prose text-muted">{TEXTS.commandLineText}</p>
				<CodeBlock text={`npx spanward login ${config.origin}`} label={TEXTS.login} />
				<p className="text-muted">{TEXTS.commandLineExamples}</p>
				<CodeBlock
					text={"npx spanward projects list\nnpx spanward traces list --since 2h --filter 'error_count > 0'"}
					label={TEXTS.examples}
				/>
			</Part>
			{config.auth.programs && can("session") && <ConnectedApps />}
			<LastCalls />
		</SectionPage>
	);
}

/** A heading and what is below it. */
function Part({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }): ReactNode {
	return (
		<section aria-label={title} className="flex flex-col gap-2">
			<h2 className="flex items-center gap-2 font-semibold text-lg">
				{title}
				{aside}
			</h2>
			{children}
		</section>
	);
}

function ClientSetUp(): ReactNode {
	const can = useCan();
	const [client, setClient] = useState<Client>("claude");
	const [way, setWay] = useState<Way>(config.auth.programs ? "login" : "key");
	const [isMaking, setMaking] = useState(false);
	const { file, code, key } = setUpOf(client, ADDRESS, config.auth.enabled ? way : undefined);
	return (
		<Part title={TEXTS.setUp}>
			<div className="flex flex-wrap items-end gap-3">
				<Field label={TEXTS.client}>
					<Select
						value={client}
						onChange={setClient}
						choices={CLIENTS.map((value) => ({ value, label: TEXTS.clients[value] }))}
					/>
				</Field>
				{config.auth.programs && (
					<SegmentedControl
						label={TEXTS.way}
						value={way}
						onChange={setWay}
						choices={(["login", "key"] as const).map((value) => ({ value, label: TEXTS.ways[value] }))}
					/>
				)}
			</div>
			{config.auth.enabled && way === "login" && <p className="max-w-prose text-muted">{TEXTS.loginText}</p>}
			{key === "environment" && (
				<>
					<p className="max-w-prose text-muted">{TEXTS.keyText}</p>
					<CodeBlock text="export SERVICE_API_KEY='<your API key>'" label={TEXTS.environment} />
				</>
			)}
			{key === "asked" && <p className="max-w-prose text-muted">{TEXTS.inputText}</p>}
			{key === "written" && <p className="max-w-prose text-muted">{TEXTS.otherText}</p>}
			<p className="text-muted">
				{client === "other" ? TEXTS.putAnywhere : file === undefined ? TEXTS.run : TEXTS.put(file)}
			</p>
			<CodeBlock text={code} label={TEXTS.code} />
			{config.auth.enabled && way === "key" && can("session") && (
				<div className="flex flex-col items-start gap-1">
					<Button onClick={() => setMaking(true)}>
						<KeyRound size={14} aria-hidden />
						{TEXTS.makeKey}
					</Button>
					<p className="max-w-prose text-muted text-sm">{TEXTS.keyHint}</p>
				</div>
			)}
			{isMaking && <CreateKeyDialog kind="user" purpose="read" onClose={() => setMaking(false)} />}
		</Part>
	);
}

function ConnectedApps(): ReactNode {
	const { data } = useQuery(ownGrantsQuery);
	return (
		<Part title={TEXTS.apps}>
			<p className="text-muted">
				{data && `${TEXTS.appsText(data.length)} `}
				<Link to="/settings/apps" className="text-accent underline hover:no-underline">
					{TEXTS.allApps}
				</Link>
			</p>
		</Part>
	);
}
