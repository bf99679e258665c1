import type { OwnedApiKey } from "@spanward/client";
import Check from "lucide-react/icons/check";
import type { ReactNode } from "react";
import type { KeyKind } from "../../../lib/api-keys.ts";
import { config } from "../../../lib/config.ts";
import { useCan } from "../../../lib/me.ts";
import { PERMISSIONS } from "../../../limits/permissions.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { CodeBlock } from "../../../ui/code-block.tsx";
import { keyCurls } from "./key-curl.ts";
import { type KeyLimits, keySentence, readingOnly } from "./key-sentence.ts";
import { type KeyRow, keyTable } from "./key-table.ts";

const TEXTS = settingsTexts.keys;

/** What a key can do, in a sentence and in commands to try. */
export function KeyAbilities({
	listed,
	kind,
	ownerRole,
	apiKey,
}: {
	listed: KeyLimits;
	kind: KeyKind;
	/** Of a key that may be somebody else's. */
	ownerRole?: OwnedApiKey["user"]["role"] | undefined;
	/** Where it was just made. */
	apiKey?: string;
}): ReactNode {
	const can = useCan();
	const ownerWrites = ownerRole === undefined ? can("write") : ownerRole !== "VIEWER";
	const able = kind === "system" || ownerWrites ? listed : readingOnly(listed);
	const curls = keyCurls(able, config.origin, apiKey);
	return (
		<section aria-label={TEXTS.can} className="flex flex-col gap-2">
			<h3 className="font-semibold">{TEXTS.can}</h3>
			<p>{keySentence(able, kind === "system" ? "a member" : "its owner")}</p>
			<AbilityTable listed={able} caption={kind === "system" ? TEXTS.asMember : TEXTS.asOwner} />
			{curls.refused !== undefined && (
				<>
					{curls.works !== undefined && (
						<>
							<p className="text-muted text-sm">{TEXTS.works}</p>
							<CodeBlock text={curls.works} label={TEXTS.works} />
						</>
					)}
					<p className="text-muted text-sm">{TEXTS.isRefused}</p>
					<CodeBlock text={curls.refused} label={TEXTS.isRefused} />
				</>
			)}
		</section>
	);
}

/** Permissions by place. @param caption how far they go */
export function AbilityTable({ listed, caption }: { listed: KeyLimits; caption: string }): ReactNode {
	return (
		<table className="w-full table-fixed text-left text-sm">
			<caption className="pb-1 text-left text-muted">{caption}</caption>
			<thead>
				<tr className="border-line border-b">
					<th scope="col" className="w-2/5 py-1 font-normal text-muted">
						{TEXTS.where}
					</th>
					{PERMISSIONS.map((permission) => (
						<th key={permission} scope="col" className="py-1 text-center font-normal text-muted">
							{TEXTS.permissionShort[permission]}
						</th>
					))}
				</tr>
			</thead>
			<tbody>
				{keyTable(listed).map(({ home, may }) => (
					<tr key={nameOf(home)} className="border-line border-b">
						<th scope="row" className="py-1 pr-2 font-normal [overflow-wrap:anywhere]">
							{nameOf(home)}
						</th>
						{PERMISSIONS.map((permission) => (
							<td key={permission} className="py-1 text-center">
								{may.includes(permission) ? (
									<Check size={14} role="img" aria-label={TEXTS.yes} className="inline text-ok" />
								) : (
									<span className="text-muted">
										<span aria-hidden>–</span>
										<span className="sr-only">{TEXTS.no}</span>
									</span>
								)}
							</td>
						))}
					</tr>
				))}
			</tbody>
		</table>
	);
}

function nameOf(home: KeyRow["home"]): string {
	return typeof home === "object" ? home.project : TEXTS.homes[home];
}
