import type { ReactNode } from "react";
import { accessTexts } from "../../../texts/access-en.ts";
import { texts } from "../../../texts/en.ts";
import { SettingsPart } from "../project/settings-part.tsx";
import { SectionPage } from "../section-page.tsx";
import { CheckSection } from "./check-section.tsx";
import { HomeAccessEditor } from "./home-access-editor.tsx";
import { PolicySection } from "./policy-section.tsx";
import { RulesSection } from "./rules-section.tsx";

/** What holds for all projects: policy, rules, the library; and the check of what somebody may do. */
export function AccessPage(): ReactNode {
	return (
		<SectionPage title={texts.settings.access} intro={accessTexts.pageIntro} narrow>
			<PolicySection />
			<RulesSection />
			<SettingsPart title={accessTexts.libraryTitle}>
				<HomeAccessEditor home="library" name={accessTexts.libraryTitle} />
			</SettingsPart>
			<CheckSection />
		</SectionPage>
	);
}
