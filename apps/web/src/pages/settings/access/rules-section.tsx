import type { AccessRule } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, useState } from "react";
import { rulesQuery } from "../../../homes/access-queries.ts";
import { api } from "../../../lib/api.ts";
import { accessTexts as TEXTS } from "../../../texts/access-en.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { SettingsPart } from "../project/settings-part.tsx";
import { EditRuleDialog, givesText, RuleDialog } from "./rule-dialog.tsx";

/** Roles in all projects whose name fits a pattern. */
export function RulesSection(): ReactNode {
	const query = useQuery(rulesQuery);
	const [isNew, setNew] = useState(false);
	const [edited, setEdited] = useState<AccessRule>();
	const [removed, setRemoved] = useState<AccessRule>();
	return (
		<SettingsPart title={TEXTS.rules} text={TEXTS.rulesText}>
			<Loaded data={query.data} query={query}>
				{(rules) =>
					rules.length === 0 ? (
						<p className="text-muted">{TEXTS.rulesNone}</p>
					) : (
						<ul aria-label={TEXTS.rules} className="flex flex-col border-line border-t">
							{rules.map((rule) => (
								<li key={rule.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b py-1.5">
									<span className="min-w-0 flex-1 basis-48">
										<code className="block truncate">{rule.pattern}</code>
										<span className="block text-muted text-sm [overflow-wrap:anywhere]">{givesText(rule)}</span>
										{rule.description && (
											<span className="block text-muted text-sm [overflow-wrap:anywhere]">{rule.description}</span>
										)}
									</span>
									<span className="text-muted text-sm">{TEXTS.fits(rule.project_count)}</span>
									<Button aria-label={TEXTS.editRuleOf(rule.pattern)} onClick={() => setEdited(rule)}>
										{TEXTS.editRule}
									</Button>
									<Button aria-label={TEXTS.deleteRuleOf(rule.pattern)} onClick={() => setRemoved(rule)}>
										{TEXTS.deleteRule}
									</Button>
								</li>
							))}
						</ul>
					)
				}
			</Loaded>
			<Button look="primary" className="self-start" onClick={() => setNew(true)}>
				<Plus size={14} aria-hidden />
				{TEXTS.newRule}
			</Button>
			{isNew && <RuleDialog onClose={() => setNew(false)} />}
			{edited && <EditRuleDialog id={edited.id} onClose={() => setEdited(undefined)} />}
			{removed && <DeleteDialog rule={removed} onClose={() => setRemoved(undefined)} />}
		</SettingsPart>
	);
}

function DeleteDialog({ rule, onClose }: { rule: AccessRule; onClose: () => void }): ReactNode {
	const queries = useQueryClient();
	const remove = useMutation({
		mutationFn: () => api.delete("/v1/access_rules/{rule_id}", { path: { rule_id: rule.id } }),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["access-rules"] });
			await queries.invalidateQueries({ queryKey: ["access"] });
			onClose();
		},
	});
	return (
		<ConfirmDialog
			title={TEXTS.deleteRuleTitle(rule.pattern)}
			action={TEXTS.deleteRule}
			mutation={remove}
			onClose={onClose}
		>
			<p>{TEXTS.deleteRuleText}</p>
		</ConfirmDialog>
	);
}
