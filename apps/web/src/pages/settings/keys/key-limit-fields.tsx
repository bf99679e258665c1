import type { ReactNode } from "react";
import { PermissionBoxes } from "../../../limits/permission-boxes.tsx";
import type { ChosenHomes, Permission } from "../../../limits/permissions.ts";
import { limitsTexts } from "../../../texts/limits-en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Field, Input, TextArea } from "../../../ui/input.tsx";
import { KeyHomes } from "./key-homes.tsx";
import { isIngestOnly, type LimitsForm, limitOf } from "./key-purposes.ts";

const TEXTS = settingsTexts.keys;

export interface LimitProblems {
	readonly permissions?: string;
	readonly homes?: string;
	readonly requests?: string;
	readonly spans?: string;
}

export function findLimitProblems({ permissions, requests, spans }: LimitsForm): LimitProblems {
	return {
		...(permissions?.length === 0 ? { permissions: limitsTexts.permissionMissing } : {}),
		...(limitOf(requests) === "invalid" ? { requests: TEXTS.numberWrong } : {}),
		...(limitOf(spans) === "invalid" ? { spans: TEXTS.numberWrong } : {}),
	};
}

/** The fields of what a key may less than its owner. */
export function KeyLimitFields({
	form,
	problems,
	permissions,
	homes,
	homesHint = TEXTS.homesHint,
	isOpen = false,
	onChange,
}: {
	form: LimitsForm;
	problems: LimitProblems;
	/** Those that the owner could use, or the key could before. */
	permissions: readonly Permission[];
	/** The only ones to choose from, if not all. */
	homes?: ChosenHomes | undefined;
	homesHint?: string;
	/** Whether all fields are shown at once. */
	isOpen?: boolean;
	onChange: (change: Partial<LimitsForm>) => void;
}): ReactNode {
	return (
		<>
			{form.permissions && (
				<PermissionBoxes
					label={TEXTS.permissionsLabel}
					chosen={form.permissions}
					choices={permissions}
					problem={problems.permissions}
					onChange={(chosen) => onChange({ permissions: chosen })}
				/>
			)}
			{isIngestOnly(form) && (
				<Field label={TEXTS.origins} hint={TEXTS.originsHint}>
					<TextArea rows={2} value={form.origins} onChange={(event) => onChange({ origins: event.target.value })} />
				</Field>
			)}
			<details open={isOpen || form.spans !== "" || form.permissions !== null}>
				<summary className="cursor-pointer text-muted">{TEXTS.more}</summary>
				<div className="mt-2 flex flex-col gap-3">
					<KeyHomes form={form} among={homes} hint={homesHint} problem={problems.homes} onChange={onChange} />
					<Field label={TEXTS.ranges} hint={TEXTS.rangesHint}>
						<TextArea rows={2} value={form.ranges} onChange={(event) => onChange({ ranges: event.target.value })} />
					</Field>
					<div className="grid grid-cols-2 gap-3">
						<Field label={TEXTS.requests} hint={TEXTS.limitHint} error={problems.requests}>
							<Input
								inputMode="numeric"
								value={form.requests}
								aria-invalid={problems.requests !== undefined}
								onChange={(event) => onChange({ requests: event.target.value })}
							/>
						</Field>
						<Field label={TEXTS.spans} hint={TEXTS.limitHint} error={problems.spans}>
							<Input
								inputMode="numeric"
								value={form.spans}
								aria-invalid={problems.spans !== undefined}
								onChange={(event) => onChange({ spans: event.target.value })}
							/>
						</Field>
					</div>
				</div>
			</details>
		</>
	);
}
