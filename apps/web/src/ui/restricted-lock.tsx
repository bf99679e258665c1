import Lock from "lucide-react/icons/lock";
import type { ReactNode } from "react";
import { restrictedText } from "../texts/restricted-en.ts";

/** Marks a restricted project, or the library, beside its name; nothing where `access` is open or unknown. */
export function RestrictedLock({ access }: { access: "open" | "restricted" | undefined }): ReactNode {
	if (access !== "restricted") return null;
	return (
		<span title={restrictedText} className="shrink-0 text-muted">
			<Lock size={13} role="img" aria-label={restrictedText} />
		</span>
	);
}
