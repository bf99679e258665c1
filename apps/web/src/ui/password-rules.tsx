import Check from "lucide-react/icons/check";
import type { ReactNode } from "react";
import { passwordRules } from "../lib/password-rules.ts";
import { passwordTexts as TEXTS } from "../texts/password-en.ts";
import { classNames } from "./class-names.ts";

/** The rules of the policy under the field of a new password; those that are kept are ticked while one types. */
export function PasswordRules({
	password,
	strong,
	id,
}: {
	password: string;
	strong: boolean;
	/** For `aria-describedby` of the field. */
	id?: string;
}): ReactNode {
	return (
		<div id={id} className="text-muted text-sm">
			<p>{TEXTS.rules}</p>
			<ul className="mt-0.5 flex flex-col">
				{passwordRules(password, strong).map((rule) => (
					<li key={rule.text} className={classNames("flex items-center gap-1.5", rule.isMet && "text-ok")}>
						<span className="flex size-3.5 items-center justify-center">
							{rule.isMet ? (
								<Check size={12} aria-label={TEXTS.met} />
							) : (
								<span aria-hidden className="size-1 rounded-full bg-current" />
							)}
						</span>
						{rule.text}
					</li>
				))}
			</ul>
		</div>
	);
}
