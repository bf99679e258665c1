/** Of what only some people see. Alone, as the pages for programs need it without the texts of the app. */
export const restrictedText = "Restricted: only those see it who were given a role here";
