import Lock from "lucide-react/icons/lock";
import type { ReactNode } from "react";
import { homesTexts } from "../texts/homes-en.ts";

/** Marks a restricted project, or the library, beside its name; nothing where `access` is open or unknown. */
export function RestrictedLock({ access }: { access: "open" | "restricted" | undefined }): ReactNode {
	if (access !== "restricted") return null;
	return (
		<span title={homesTexts.restricted} className="shrink-0 text-muted">
			<Lock size={13} role="img" aria-label={homesTexts.restricted} />
		</span>
	);
}
