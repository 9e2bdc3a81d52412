-- In which languages words on pictures are recognised, the likeliest first: none for a collection whose
-- pictures nobody reads, NULL for what the stage says.
SET LOCAL ROLE pulsedocs_owner;
SET LOCAL search_path = pulsedocs, public;

ALTER TABLE collection ADD COLUMN ocr_languages text[];
