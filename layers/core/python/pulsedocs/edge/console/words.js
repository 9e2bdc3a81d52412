// What the console says, in both languages. `{name}` is put in; one key, one sentence.

const WORDS = {
  en: {
    language: "Language", skip: "Skip to the content", sections: "Sections",
    ask: "Ask", documents: "Documents", compare: "Compare", operations: "Operations", signOut: "Sign out", apiDocs: "API",
    replaceSession: "You are signed in as {now}. This link signs you in as {then}: what you add will be theirs. Go on?",
    signIn: "Sign in", signInLead: "Answers from your documents, with the page and the exact words.",
    tokenLabel: "Access token", tokenHelp: "Paste a token: `make token TENANT=<uuid>` prints one, and `make up` prints an address that brings it along.",
    signInPool: "Sign in with your account", expired: "Your session has ended. Sign in again.", badToken: "That is no access token: it has three parts with dots between them.",
    signInFailed: "Signing in did not work ({why}). Try again.",
    askTitle: "What would you like to know?", askLead: "Every answer cites the page it stands on. Click a citation to see the words.",
    question: "Your question", send: "Ask", stop: "Stop", newTalk: "New conversation", talks: "Your conversations", noTalks: "None yet: what you ask is kept here for a while.", questions: "{count} questions", questionOne: "1 question", citedBefore: "Some of what this answer cites has been replaced since, and is no longer kept.", forgetTalk: "Delete conversation", forgetTitle: "Delete the conversation “{title}”?", forgetText: "Its questions and answers are removed from the stage.", byMetadata: "By metadata", metadataKey: "key", metadataValue: "value",
    searchIn: "Search in", all: "All collections", notAll: "{most} of {count} collections", onlyIn: "Only in {name}", removeScope: "Search everywhere again",
    looking: "Looking through your documents …", stopped: "Stopped.",
    sources: "Where it stands", page: "page {page}", pagePrinted: "page {page} (printed {label})", sheet: "sheet {label}", pageOf: "Page {page} of {total}", openCitation: "Citation {n}: {source}, page {page}",
    ocr: "recognised text", ocrHelp: "These words were recognised on a scan and may be misread.", lowConfidence: "low confidence",
    notFound: "Not in the documents", nearest: "The nearest passage", degraded: "Answered with less: {what}", model: "answered by {model}", extractive: "quoted from the documents", 
    coverage: "{unread} of {total} pages of a document could not be read", noVectors: "{count} passages could only be searched by their words", why: "Why this answer?", copy: "Copy", copied: "Copied", proof: "Save proof", proofTitle: "A signed file that shows where the words stand",
    helpful: "Helpful", wrong: "Wrong", judged: "Thank you; it is kept.", judgedAsked: "Thank you; evaluations will ask this.", whyWrong: "What is wrong with it?", whyHelpful: "What helped?", save: "Save", takeBack: "Take back", takenBack: "Taken back.",
    stands: "The right answer stands", standsUnknown: "I do not know where", standsNowhere: "nowhere in the documents", standsHere: "on the open page: {name}, {page}", standsBefore: "where you said before: page {page}", standsHint: "Open the right page to name it.",
    noDocuments: "There is nothing to ask yet.", addFirst: "Add documents",
    r_BELOW_THRESHOLD: "No passage was close enough to the question.", r_NO_CANDIDATES: "Nothing was found.", r_NO_ANSWER_IN_CONTEXT: "No sentence of the passages that were found surely says what was asked.", r_NOT_INDEXED_FOR_MODEL: "These documents are not yet prepared for this model.", r_EMPTY_QUERY: "The question has no words to search for.", r_NO_SUCH_PAGE: "The document does not have the page that the question names.", languageUnknown: "It may be there in other words: no model that searches here knows the language of the question. A collection with a multilingual model finds more.", r_NO_DOCUMENTS: "There is no document here that can be searched. Documents shows how far each one has come.", r_WHICH_DOCUMENT: "This asks about one document, and several are searched. Open Documents and choose “Ask about it”.", noAnswer: "No sure answer was found", detail: "In detail",
   
    drop: "Drop files or folders here", dropAnywhere: "PDF, Word, PowerPoint, Excel, web pages, e-mail, pictures, Markdown and text, up to 50 MB each", chooseFiles: "Choose files", chooseFolder: "Choose a folder", dropNow: "Drop to add",
    intoCollection: "Add to collection", newCollection: "What language are the texts of the new collection “{name}” in?", add: "Add", languageOfTexts: "A new collection; its texts are in", filterCollection: "Collection", anyCollection: "Any collection", filterState: "State", filterName: "File name", anyState: "Any state", nameHint: "exact name", apply: "Apply", clear: "Clear",
    none: "No documents here.", noneYet: "No documents yet. Drop some files above.", more: "Show more", showing: "{count} shown", allShown: "all {count} shown",
    underway: "Being added", allAdded: "Added", finished: "{done} of {total} ready", hide: "Clear list", failedUploads: "{count} not added",
    pages: "{count} pages", pageOne: "1 page", pagesFailed: "{count} of {total} pages could not be read", pagesEmpty: "{count} without text", chunks: "{count} passages", chunkOne: "1 passage", version: "version {version}", earlierVersion: "version {version}, not the current one", earlier: "Earlier versions", replacedBy: "replaced by version {version}", notStored: "no longer kept",
    waiting: "Waiting", sending: "Sending", hashing: "Checking", s_UPLOADED: "Received", s_PROCESSING: "Started", s_EXTRACTED: "Read", s_CLEANED: "Cleaned", s_CHUNKED: "Divided", s_EMBEDDED: "Understood", 
    o_PUBLISHED: "Ready", o_EMPTY: "No text", o_DUPLICATE: "Already here", o_REJECTED: "Refused", o_FAILED: "Failed", o_PARKED: "Waiting", o_BUDGET_EXCEEDED: "Waiting for budget", o_CANCELLED: "Cancelled", o_SUPERSEDED: "Replaced", o_DELETED: "Deleted",
    retry: "Try again", cancel: "Cancel", delete: "Delete", askThis: "Ask about it", open: "Open", actionsFor: "{action}: {name}",
    deleteTitle: "Delete “{name}”?", deleteText: "It cannot be found from this moment on. Its pages, passages and vectors are then removed, and you get a receipt. Conversations lose the answers for which it was read, also those that do not cite it.", keep: "Keep",
    receipt: "Deletion receipt", receiptNumber: "Receipt", requestedAt: "Requested", requestedBy: "By", completedAt: "Completed", pending: "under way", before: "There were", after: "Left are", nothing: "nothing", c_pages: "pages", c_chunks: "passages", c_embeddings: "vectors", c_objects: "stored files", c_versions: "versions", c_others: "other records", close: "Close", 
    stepsOf: "{done} of {total} steps: {step}", notArrived: "The file did not arrive. Check the connection and add it again.",
    viewer: "Page", previousPage: "Previous page", nextPage: "Next page", closeViewer: "Close the page", zoomIn: "Larger or smaller", pictureOf: "Page {page} of {source}, as printed", pictureMarked: "Page {page} of {source}, as printed; {count} lines are highlighted", textOnly: "This format has no printed page; this is its text.", noPicture: "The page cannot be drawn; this is its text.", loading: "Loading …", 
    e_UNAUTHENTICATED: "Your session had ended. Sign in, then try again.",
    unreachable: "The stage cannot be reached. Check the connection, then try again.", offline: "The stage cannot be reached. Check the connection; it is tried again by itself.", warming: "The stage is waking up, which takes up to a minute …", throttled: "The stage is busy; trying again …", cutOff: "The answer broke off before it was whole, so nothing of it is shown. Ask again.", backOnline: "Connected again.",
    tryAgain: "Try again", problem: "That did not work", requestId: "Request {id}",
    whyTitle: "Why these passages", whyLead: "Each line is a passage that was considered. It travels from left to right until a rule drops it.",
    legs: "Found", fusion: "Combined", rerank: "Relevance", fate: "Outcome", byMeaning: "meaning", byWords: "words", passage: "Passage", hidden: "Show the other {count}", threshold: "Threshold", whatIf: "What if the threshold were {value}?", whatIfSame: "The same passages would be chosen.", whatIfChanged: "{added} more, {removed} fewer passages.", whatIfRefused: "It would refuse to answer.", replay: "Compute it again", identical: "Computed again from the trace: identical.", different: "Computed again: DIFFERENT.", 
    whyNot: "Why not this page?", whyNotDocument: "Document", whyNotPage: "Page", check: "Check", considered: "{count} considered", survived: "{count} chosen", corpus: "{chunks} passages in {documents} documents", took: "{ms} ms",
    f_SELECTED: "Chosen", f_BELOW_THRESHOLD: "Below the threshold", f_PAGE_LIMIT: "Enough of that page", f_SECTION_LIMIT: "Enough of that section", f_DOCUMENT_LIMIT: "Enough of that document", f_DUPLICATE: "Says the same", f_OVER_BUDGET: "No room left", f_OUTRANKED: "Outranked",
    oneQuestion: "On one question", profileOf: "Profile of {side}", modelOf: "Model of {side}", passagesDiffer: "Passages that differ", samePassages: "Both chose the same passages, in the same order.", chosenAs: "chosen, place {rank}", notFoundThere: "not found",
    onSet: "On a set of questions", onSetLead: "The questions that people judged, and those that you add, are asked with each profile.", moreQuestions: "More questions, one in a line, as JSON", profiles: "Profiles, up to five", profile: "Profile", measure: "Measure", chooseProfiles: "Choose one to five profiles.", noQuestions: "Nobody has said yet where an answer stands: judge answers, or add questions.", badLine: "A line is no JSON.", measured: "{done} of {total} profiles measured on {count} questions", figures: "All figures", atTheEnd: "Found in the passages that were chosen", stageByStage: "recall@10, from step to step", refusedRightly: "refusals by the search that were due", refusedDue: "due refusals that the search made", ranOut: "The time ran out before every profile was asked everything.",
    models: "Embedding models", searchedBy: "Searched by {model}", covered: "{model}: {embedded} of {chunks} passages", overlap: "Nearest passages in common: {mean} on average, {lowest} at least ({sampled} sampled, {neighbours} neighbours each)", noOverlapYet: "How differently they order is known once both have vectors.", promote: "Promote", promoteTitle: "Search “{collection}” by {model}?", promoteText: "Questions use it from now on. {model} stays, so that you can roll back.", keepModel: "Not yet", rollBack: "Roll back to {model}", noOtherModel: "No other model is registered: `pulsedocs models add` does it.", tryModel: "Try another model", start: "Start",
    today: "Today", usage: "Usage", by: "By", spentOnModels: "Calls of models", storedNow: "Stored", day: "Day", user_id: "User", method: "Method", source: "Document", byModel: "Model", calls: "Calls", tokensIn: "Tokens in", tokensOut: "Tokens out", cost: "Dollars", pagesUsed: "Pages", tokensUsed: "Tokens", noLimit: "no limit", of: "{used} of {limit}", stuck: "Failed and waiting", redrive: "Run all again", redriven: "{count} documents run again.", nothingStuck: "Nothing has failed.", audit: "Who did what", noAudit: "Your token may not read the audit trail; operators may.", who: "Who", what: "What", when: "When", findReceipt: "Find a receipt", show: "Show", unpriced: "{count} calls have no known price",
  },
  de: {
    language: "Sprache", skip: "Zum Inhalt", sections: "Bereiche",
    ask: "Fragen", documents: "Dokumente", compare: "Vergleichen", operations: "Betrieb", signOut: "Abmelden", apiDocs: "API",
    replaceSession: "Sie sind als {now} angemeldet. Dieser Link meldet Sie als {then} an: Was Sie hinzufügen, gehört dann dieser Person. Fortfahren?",
    signIn: "Anmelden", signInLead: "Antworten aus Ihren Dokumenten, mit Seite und genauem Wortlaut.",
    tokenLabel: "Zugangstoken", tokenHelp: "Fügen Sie ein Token ein: `make token TENANT=<uuid>` gibt eines aus, und `make up` nennt eine Adresse, die es mitbringt.",
    signInPool: "Mit Ihrem Konto anmelden", expired: "Ihre Sitzung ist abgelaufen. Bitte melden Sie sich neu an.", badToken: "Das ist kein Zugangstoken: es hat drei Teile mit Punkten dazwischen.",
    signInFailed: "Die Anmeldung ist gescheitert ({why}). Versuchen Sie es noch einmal.",
    askTitle: "Was möchten Sie wissen?", askLead: "Jede Antwort nennt die Seite, auf der sie steht. Ein Klick auf den Beleg zeigt die Worte.",
    question: "Ihre Frage", send: "Fragen", stop: "Anhalten", newTalk: "Neues Gespräch", talks: "Ihre Gespräche", noTalks: "Noch keine: was Sie fragen, wird hier eine Zeit lang aufbewahrt.", questions: "{count} Fragen", questionOne: "1 Frage", citedBefore: "Manches, was diese Antwort belegt, wurde seither ersetzt und wird nicht mehr aufbewahrt.", forgetTalk: "Gespräch löschen", forgetTitle: "Das Gespräch „{title}“ löschen?", forgetText: "Fragen und Antworten werden aus der Umgebung entfernt.", byMetadata: "Nach Metadaten", metadataKey: "Schlüssel", metadataValue: "Wert",
    searchIn: "Suchen in", all: "Allen Sammlungen", notAll: "{most} von {count} Sammlungen", onlyIn: "Nur in {name}", removeScope: "Wieder überall suchen",
    looking: "Ihre Dokumente werden durchsucht …", stopped: "Angehalten.",
    sources: "Wo es steht", page: "Seite {page}", pagePrinted: "Seite {page} (gedruckt {label})", sheet: "Blatt {label}", pageOf: "Seite {page} von {total}", openCitation: "Beleg {n}: {source}, Seite {page}",
    ocr: "erkannter Text", ocrHelp: "Diese Worte wurden auf einem Scan erkannt und können falsch gelesen sein.", lowConfidence: "unsicher gelesen",
    notFound: "Steht nicht in den Dokumenten", nearest: "Die nächstliegende Stelle", degraded: "Eingeschränkt beantwortet: {what}", model: "beantwortet von {model}", extractive: "aus den Dokumenten zitiert", 
    coverage: "{unread} von {total} Seiten eines Dokuments waren nicht lesbar", noVectors: "{count} Stellen konnten nur nach Wörtern durchsucht werden", why: "Warum diese Antwort?", copy: "Kopieren", copied: "Kopiert", proof: "Beleg sichern", proofTitle: "Eine signierte Datei, die zeigt, wo die Worte stehen",
    helpful: "Hilfreich", wrong: "Falsch", judged: "Danke; es ist vermerkt.", judgedAsked: "Danke; Auswertungen werden danach fragen.", whyWrong: "Was ist daran falsch?", whyHelpful: "Was hat geholfen?", save: "Sichern", takeBack: "Zurücknehmen", takenBack: "Zurückgenommen.",
    stands: "Die richtige Antwort steht", standsUnknown: "Ich weiß nicht, wo", standsNowhere: "in keinem Dokument", standsHere: "auf der offenen Seite: {name}, {page}", standsBefore: "wo Sie zuvor sagten: Seite {page}", standsHint: "Öffnen Sie die richtige Seite, um sie zu nennen.",
    noDocuments: "Es gibt noch nichts zu fragen.", addFirst: "Dokumente hinzufügen",
    r_BELOW_THRESHOLD: "Keine Stelle kam der Frage nahe genug.", r_NO_CANDIDATES: "Nichts wurde gefunden.", r_NO_ANSWER_IN_CONTEXT: "Kein Satz der gefundenen Stellen sagt sicher, wonach gefragt wurde.", r_NOT_INDEXED_FOR_MODEL: "Diese Dokumente sind für dieses Modell noch nicht aufbereitet.", r_EMPTY_QUERY: "Die Frage hat keine Wörter, nach denen gesucht werden kann.", r_NO_SUCH_PAGE: "Das Dokument hat die Seite nicht, die in der Frage steht.", languageUnknown: "Es kann mit anderen Worten dastehen: Kein Modell, das hier sucht, kennt die Sprache der Frage. Eine Sammlung mit einem mehrsprachigen Modell findet es.", r_NO_DOCUMENTS: "Hier ist kein Dokument, das durchsucht werden kann. Unter Dokumente steht, wie weit jedes ist.", r_WHICH_DOCUMENT: "Das fragt nach einem Dokument, und mehrere werden durchsucht. Unter Dokumente lässt sich eines wählen.", noAnswer: "Keine sichere Antwort gefunden", detail: "Im Einzelnen",
   
    drop: "Dateien oder Ordner hier ablegen", dropAnywhere: "PDF, Word, PowerPoint, Excel, Webseiten, E-Mails, Bilder, Markdown und Text, je bis 50 MB", chooseFiles: "Dateien wählen", chooseFolder: "Ordner wählen", dropNow: "Loslassen zum Hinzufügen",
    intoCollection: "In die Sammlung", newCollection: "In welcher Sprache sind die Texte der neuen Sammlung „{name}“?", add: "Hinzufügen", languageOfTexts: "Eine neue Sammlung; Sprache ihrer Texte:", filterCollection: "Sammlung", anyCollection: "Jede Sammlung", filterState: "Zustand", filterName: "Dateiname", anyState: "Jeder Zustand", nameHint: "genauer Name", apply: "Anwenden", clear: "Zurücksetzen",
    none: "Hier sind keine Dokumente.", noneYet: "Noch keine Dokumente. Legen Sie oben Dateien ab.", more: "Mehr zeigen", showing: "{count} gezeigt", allShown: "alle {count} gezeigt",
    underway: "Wird hinzugefügt", allAdded: "Hinzugefügt", finished: "{done} von {total} bereit", hide: "Liste leeren", failedUploads: "{count} nicht hinzugefügt",
    pages: "{count} Seiten", pageOne: "1 Seite", pagesFailed: "{count} von {total} Seiten waren nicht lesbar", pagesEmpty: "{count} ohne Text", chunks: "{count} Stellen", chunkOne: "1 Stelle", version: "Version {version}", earlierVersion: "Version {version}, nicht die jetzige", earlier: "Frühere Versionen", replacedBy: "ersetzt durch Version {version}", notStored: "nicht mehr aufbewahrt",
    waiting: "Wartet", sending: "Wird gesendet", hashing: "Wird geprüft", s_UPLOADED: "Angekommen", s_PROCESSING: "Begonnen", s_EXTRACTED: "Gelesen", s_CLEANED: "Gesäubert", s_CHUNKED: "Geteilt", s_EMBEDDED: "Verstanden",
    o_PUBLISHED: "Bereit", o_EMPTY: "Ohne Text", o_DUPLICATE: "Schon da", o_REJECTED: "Abgelehnt", o_FAILED: "Gescheitert", o_PARKED: "Wartet", o_BUDGET_EXCEEDED: "Wartet auf Budget", o_CANCELLED: "Abgebrochen", o_SUPERSEDED: "Ersetzt", o_DELETED: "Gelöscht",
    retry: "Noch einmal", cancel: "Abbrechen", delete: "Löschen", askThis: "Dazu fragen", open: "Öffnen", actionsFor: "{action}: {name}",
    deleteTitle: "„{name}“ löschen?", deleteText: "Ab sofort ist es nicht mehr zu finden. Seiten, Stellen und Vektoren werden dann entfernt, und Sie erhalten eine Quittung. Aus Gesprächen verschwinden die Antworten, für die es gelesen wurde, auch solche, die es nicht nennen.", keep: "Behalten",
    receipt: "Löschquittung", receiptNumber: "Quittung", requestedAt: "Verlangt", requestedBy: "Von", completedAt: "Erledigt", pending: "läuft", before: "Es gab", after: "Übrig sind", nothing: "nichts", c_pages: "Seiten", c_chunks: "Stellen", c_embeddings: "Vektoren", c_objects: "gespeicherte Dateien", c_versions: "Versionen", c_others: "weitere Einträge", close: "Schließen", 
    stepsOf: "{done} von {total} Schritten: {step}", notArrived: "Die Datei ist nicht angekommen. Prüfen Sie die Verbindung und fügen Sie sie neu hinzu.",
    viewer: "Seite", previousPage: "Vorige Seite", nextPage: "Nächste Seite", closeViewer: "Seite schließen", zoomIn: "Größer oder kleiner", pictureOf: "Seite {page} von {source}, wie gedruckt", pictureMarked: "Seite {page} von {source}, wie gedruckt; {count} Zeilen sind hervorgehoben", textOnly: "Dieses Format hat keine gedruckte Seite; dies ist der Text.", noPicture: "Die Seite lässt sich nicht zeichnen; dies ist ihr Text.", loading: "Wird geladen …", 
    // What the stage says in English, by its code.
    e_PDF_ENCRYPTED: "Die Datei öffnet sich nur mit einem Kennwort. Entfernen Sie es, etwa durch Drucken als PDF, und fügen Sie sie neu hinzu.", e_PDF_CORRUPTED: "Die Datei ist beschädigt. Öffnen Sie sie in einem PDF-Programm, speichern Sie sie neu und fügen Sie diese hinzu.", e_PDF_EMPTY: "Die Datei hat keinen lesbaren Text.", e_FILE_UNREADABLE: "Die Datei lässt sich nicht lesen. Speichern Sie sie neu, oder fügen Sie ihren Text hinzu.", e_FILE_EMPTY: "Die Datei ist leer.", e_FILE_TOO_LARGE: "Die Datei ist zu groß. Teilen Sie sie.", e_TOO_MANY_PAGES: "Die Datei hat zu viele Seiten. Teilen Sie sie.", e_TOO_MUCH_TEXT: "Die Datei hat zu viel Text. Teilen Sie sie.", e_TEXT_NOT_UTF8: "Der Text ist nicht in UTF-8 gespeichert. Speichern Sie ihn so und fügen Sie ihn neu hinzu.", e_UNSUPPORTED_CONTENT_TYPE: "Dateien dieser Art werden nicht gelesen. Speichern Sie sie als PDF, Text, Office-Datei oder Bild.", e_CONTENT_TYPE_MISMATCH: "Der Inhalt ist von anderer Art, als der Name sagt. Fügen Sie die gemeinte Datei hinzu.", e_CHECKSUM_MISMATCH: "Die Datei kam verändert an. Fügen Sie sie neu hinzu.", e_SIZE_MISMATCH: "Die Datei kam nicht vollständig an. Fügen Sie sie neu hinzu.", e_RESOURCE_EXHAUSTED: "Die Datei zu lesen dauert zu lange oder braucht zu viel Speicher. Vereinfachen oder teilen Sie sie.", e_TOO_MANY_PAGES_FAILED: "Keine Seite ließ sich lesen. Speichern Sie die Datei neu.", e_UPLOAD_EXPIRED: "Die Datei kam nicht innerhalb einer Stunde an. Fügen Sie sie neu hinzu.", e_BUDGET_EXCEEDED: "Das Budget ist verbraucht. Erhöhen Sie es, oder warten Sie bis morgen.", e_UNAUTHENTICATED: "Ihre Sitzung war abgelaufen. Melden Sie sich an und versuchen Sie es noch einmal.", e_DOCUMENT_NOT_FOUND: "Das Dokument gibt es nicht mehr.", e_COLLECTION_NOT_FOUND: "Die Sammlung gibt es nicht. Fügen Sie ihr ein Dokument hinzu.", e_TRACE_NOT_FOUND: "Wie diese Antwort entstand, wird nicht mehr aufbewahrt: nach 30 Tagen wird es gelöscht.", e_CONVERSATION_NOT_FOUND: "Das Gespräch gibt es nicht mehr.", e_CONVERSATION_TAKEN: "Das Gespräch gehört jemand anderem. Beginnen Sie ein neues.", e_FORBIDDEN: "Ihr Token erlaubt das nicht.", e_INTERNAL: "Etwas Unerwartetes ist geschehen. Versuchen Sie es noch einmal; nennen Sie sonst die Nummer der Anfrage.",
    unreachable: "Die Umgebung ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.", offline: "Die Umgebung ist nicht erreichbar. Prüfen Sie die Verbindung; es wird von selbst weiter versucht.", warming: "Die Umgebung wacht auf, das dauert bis zu einer Minute …", throttled: "Die Umgebung ist beschäftigt; es wird noch einmal versucht …", cutOff: "Die Antwort brach ab, bevor sie vollständig war; darum wird nichts davon gezeigt. Fragen Sie noch einmal.", backOnline: "Wieder verbunden.",
    tryAgain: "Noch einmal", problem: "Das hat nicht geklappt", requestId: "Anfrage {id}",
    whyTitle: "Warum diese Stellen", whyLead: "Jede Zeile ist eine Stelle, die geprüft wurde. Sie wandert von links nach rechts, bis eine Regel sie fallen lässt.",
    legs: "Gefunden", fusion: "Vereint", rerank: "Relevanz", fate: "Ausgang", byMeaning: "Bedeutung", byWords: "Wörter", passage: "Stelle", hidden: "Die übrigen {count} zeigen", threshold: "Schwelle", whatIf: "Und wenn die Schwelle {value} wäre?", whatIfSame: "Dieselben Stellen würden gewählt.", whatIfChanged: "{added} Stellen mehr, {removed} weniger.", whatIfRefused: "Die Antwort würde verweigert.", replay: "Nachrechnen", identical: "Aus der Aufzeichnung nachgerechnet: identisch.", different: "Nachgerechnet: ANDERS.",
    whyNot: "Warum nicht diese Seite?", whyNotDocument: "Dokument", whyNotPage: "Seite", check: "Prüfen", considered: "{count} geprüft", survived: "{count} gewählt", corpus: "{chunks} Stellen in {documents} Dokumenten", took: "{ms} ms",
    f_SELECTED: "Gewählt", f_BELOW_THRESHOLD: "Unter der Schwelle", f_PAGE_LIMIT: "Genug von dieser Seite", f_SECTION_LIMIT: "Genug von diesem Abschnitt", f_DOCUMENT_LIMIT: "Genug von diesem Dokument", f_DUPLICATE: "Sagt dasselbe", f_OVER_BUDGET: "Kein Platz mehr", f_OUTRANKED: "Andere waren besser",
    oneQuestion: "Bei einer Frage", profileOf: "Profil von {side}", modelOf: "Modell von {side}", passagesDiffer: "Stellen, die sich unterscheiden", samePassages: "Beide wählten dieselben Stellen in derselben Reihenfolge.", chosenAs: "gewählt, Platz {rank}", notFoundThere: "nicht gefunden",
    onSet: "Bei einer Reihe von Fragen", onSetLead: "Die Fragen, die beurteilt wurden, und die Sie hinzufügen, werden mit jedem Profil gestellt.", moreQuestions: "Weitere Fragen, eine je Zeile, als JSON", profiles: "Profile, bis zu fünf", profile: "Profil", measure: "Messen", chooseProfiles: "Wählen Sie ein bis fünf Profile.", noQuestions: "Noch hat niemand gesagt, wo eine Antwort steht: beurteilen Sie Antworten oder fügen Sie Fragen hinzu.", badLine: "Eine Zeile ist kein JSON.", measured: "{done} von {total} Profilen gemessen, {count} Fragen", figures: "Alle Werte", atTheEnd: "In den gewählten Stellen gefunden", stageByStage: "recall@10 von Schritt zu Schritt", refusedRightly: "berechtigte Ablehnungen der Suche", refusedDue: "nötige Ablehnungen, die die Suche gab", ranOut: "Die Zeit reichte nicht für alle Fragen mit jedem Profil.",
    models: "Einbettungsmodelle", searchedBy: "Gesucht wird mit {model}", covered: "{model}: {embedded} von {chunks} Stellen", overlap: "Gemeinsame nächste Stellen: {mean} im Mittel, mindestens {lowest} ({sampled} Stichproben, je {neighbours} Nachbarn)", noOverlapYet: "Wie verschieden sie ordnen, zeigt sich, sobald beide Vektoren haben.", promote: "Umstellen", promoteTitle: "In „{collection}“ mit {model} suchen?", promoteText: "Ab sofort wird damit gesucht. {model} bleibt, damit Sie zurück können.", keepModel: "Noch nicht", rollBack: "Zurück zu {model}", noOtherModel: "Kein anderes Modell ist angemeldet: das tut `pulsedocs models add`.", tryModel: "Ein anderes Modell erproben", start: "Beginnen",
    today: "Heute", usage: "Verbrauch", by: "Nach", spentOnModels: "Aufrufe von Modellen", storedNow: "Gespeichert", day: "Tag", user_id: "Person", method: "Methode", source: "Dokument", byModel: "Modell", calls: "Aufrufe", tokensIn: "Tokens hinein", tokensOut: "Tokens heraus", cost: "Dollar", pagesUsed: "Seiten", tokensUsed: "Tokens", noLimit: "keine Grenze", of: "{used} von {limit}", stuck: "Gescheitert und wartend", redrive: "Alle noch einmal", redriven: "{count} Dokumente laufen noch einmal.", nothingStuck: "Nichts ist gescheitert.", audit: "Wer hat was getan", noAudit: "Ihr Token darf das Protokoll nicht lesen; Betreiber dürfen es.", who: "Wer", what: "Was", when: "Wann", findReceipt: "Quittung suchen", show: "Zeigen", unpriced: "{count} Aufrufe haben keinen bekannten Preis",
  },
};

export const LANGUAGES = { en: "English", de: "Deutsch" };
const KEPT = "pulsedocs.language";

export function language() {
  const kept = localStorage.getItem(KEPT);
  if (kept in LANGUAGES) return kept;
  return navigator.language.toLowerCase().startsWith("de") ? "de" : "en";
}

export function chooseLanguage(name) {
  localStorage.setItem(KEPT, name);
}

export function t(key, values = {}) {
  const text = WORDS[language()][key] ?? WORDS.en[key];
  if (text === undefined) return key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/** The word for a code of the API; the code itself where there is none. */
export function named(prefix, code) {
  const key = `${prefix}_${code}`;
  const text = t(key);
  return text === key ? code : text;
}

/** The language as it is written where the browser is: `en-GB` puts the day before the month. */
const region = () => navigator.languages.find((each) => each.toLowerCase().startsWith(language())) ?? language();

/** What an error of the stage says and what to do, in one text; `context` is not for people here. */
export function saying({ code, message, guidance }) {
  const known = WORDS[language()][`e_${code}`];
  if (known) return known;
  // "Correct the named field" is for programs, and none of a form here is called that.
  return [message, code === "INVALID_REQUEST" ? "" : guidance].filter(Boolean).map((text) => (/[.!?…]$/.test(text) ? text : `${text}.`)).join(" ");
}

export function number(value, options) {
  return new Intl.NumberFormat(region(), options).format(value);
}

export function date(value) {
  return new Intl.DateTimeFormat(region(), { dateStyle: "medium", timeStyle: "short" }).format(new Date(value));
}
