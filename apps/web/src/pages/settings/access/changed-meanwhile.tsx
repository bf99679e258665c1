import { ApiError } from "@spanward/client";
import type { ReactNode } from "react";
import { accessTexts as TEXTS } from "../../../texts/access-en.ts";
import { Button } from "../../../ui/button.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";

/** Whether a change came after another one than it was decided by. */
export function isChangedMeanwhile(error: Error | null): error is ApiError {
	return error instanceof ApiError && error.status === 412;
}

/** Why a change was not saved: for one that came too late who was faster, and a button to see what they made of it. */
export function SaveError({ error, onLook }: { error: Error | null; onLook: () => void }): ReactNode {
	if (!isChangedMeanwhile(error)) return <FormError error={error} />;
	const { changed_by: by, changed_at: time } = error.problem;
	return (
		<div role="alert" className="flex flex-wrap items-center gap-2 rounded bg-warn-soft px-3 py-2 text-warn">
			<span className="[overflow-wrap:anywhere]">
				{typeof time === "string" ? (
					<>
						{TEXTS.changedBy(nameOf(by))} <RelativeTime time={time} />.
					</>
				) : (
					TEXTS.changedBySomebody
				)}{" "}
				{TEXTS.notSaved}
			</span>
			<Button onClick={onLook}>{TEXTS.look}</Button>
		</div>
	);
}

/** The person; what a program with the server's own rights sent has nobody's name. */
function nameOf(by: unknown): string {
	const { kind, username } = (by ?? {}) as { readonly kind?: string; readonly username?: string | null };
	if (kind === "admin_secret" || kind === "system_key") return TEXTS.changer[kind];
	return username ?? TEXTS.somebody;
}
