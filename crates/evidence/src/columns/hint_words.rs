//! The words that column names are looked for, English and German, in small letters and without umlauts.
//!
//! Words are separated by blanks. One may begin or end with `*`, which stands for any letters. The identifying ones
//! follow the eighteen identifiers of the HIPAA Privacy Rule, 45 CFR 164.514(b)(2)(i).

use super::hints::Words;

/// What identifies a person alone.
pub(super) const IDENTIFYING: &Words = &[
    (
        "a person's name",
        "surname* lastname firstname givenname forename* middlename fullname maiden* familyname vorname* \
         nachname* zuname familienname* geburtsname patientname patientenname initials initialen username \
         login nickname benutzer*",
    ),
    (
        "a means of contact",
        "email* mail phone* *phone telefon* telephone* mobil mobile handy* fax* mobilnummer rufnummer",
    ),
    (
        "an address",
        "address* addr adresse* anschrift* street* *strasse str hausnummer hausnr housenumber pobox \
         postfach",
    ),
    (
        "a number of a person",
        "ssn socialsecurity* sozialversicherung* svnr rvnr steuernummer steuerid taxid tin passport* \
         reisepass* ausweis* personalausweis* identitycard nationalid mrn medicalrecord* \
         *versichertennummer versichertennr versichertenid versicherungsnummer versicherungsnr \
         krankenkassennummer krankenversichertennummer kvnr healthplan* beneficiary* insuranceid \
         insurancenumber patientennummer patientennr patientenid patientid pid patid patnr fallnummer \
         fallnr aktenzeichen personalnummer personnummer matrikel* mitgliedsnummer kundennummer kundennr \
         pseudonym*",
    ),
    ("an account", "account* konto* iban creditcard* kreditkarte* cardnumber kartennummer"),
    (
        "a licence or certificate",
        "license* licence* fuehrerschein* certificate* *kennzeichen numberplate nummernschild vin \
         fahrgestell*",
    ),
    ("a device", "deviceid serial* seriennummer geraetenummer imei imsi macaddress"),
    ("an address on the net", "url* website* homepage* ip ipv ipaddress ipadresse"),
    ("a biometric trait", "biometric* biometri* fingerprint* fingerabdruck* voiceprint retina* iris"),
    ("a picture", "photo* foto* portrait* bild lichtbild image picture signature* unterschrift*"),
];

/// People who get numbers.
pub(super) const PERSONS: &str = "patient* customer* kunde* person* user* member* mitglied* employee* mitarbeiter* student* schueler* \
     subject* proband* teilnehmer* participant* client* klient* insured* versicherten* versicherte donor* \
     spender* respondent* donator* resident* einwohner* case fall";

/// Numbers of something.
pub(super) const WEAK_NUMBERS: &str =
    "id ids uid uuid guid nr no num number nummer key kennung schluessel *nr *nummer rowid index zeile";

/// What others may know about a person.
pub(super) const QUASI_IDENTIFYING: &Words = &[
    (
        "a date of birth or an age",
        "age ages alter birth* *birth born dob yob geburt* geboren* gebdat* gebjahr lebensalter jahrgang",
    ),
    ("a sex or gender", "sex gender* geschl*"),
    (
        "a place",
        "zip* postal* postcode plz postleitzahl* city cities town ort wohnort* standort stadt* gemeinde* \
         municipality village district* kreis landkreis* county state states bundesland* province* \
         region* country* land staat* wohn* residence neighborhood neighbourhood stadtteil latitude \
         longitude lat lon lng gps* koordinaten coordinates location",
    ),
    (
        "an origin",
        "race ethnic* hispanic* herkunft* nationalit* citizen* staatsangehoerig* migration* language* \
         sprache* muttersprache",
    ),
    (
        "a family status",
        "marital* marriage* married familienstand* verheiratet children kinder* household* haushalt* \
         spouse* ehe* relationship*",
    ),
    (
        "an education or occupation",
        "education* school* bildung* schul* *abschluss degree* occupation* beruf* job* profession* \
         employ* workclass* industry branche* taetigkeit* arbeitgeber*",
    ),
    (
        "a date others may know",
        "admission* admit* admitted aufnahme* discharge* entlass* death* died deceased tod todes* sterbe* \
         verstorben date* datum* *datum visit* besuch* year* jahr* timestamp* zeitstempel eintritt* \
         austritt*",
    ),
    (
        "a trait others can see",
        "height groesse koerpergroesse weight gewicht koerpergewicht bmi haarfarbe augenfarbe",
    ),
    (
        "an institution others may know",
        "insurance* insurer versicherung* krankenkasse* kasse* kostentraeger* ward station* department* \
         abteilung* hospital* klinik* krankenhaus* clinic* arzt* physician* doctor*",
    ),
];

/// What must not be learnt about a person.
pub(super) const SENSITIVE: &Words = &[
    (
        "a matter of health",
        "diagnos* *diagnos* icd* dx disease* illness* krankheit* *krankheit *erkrankung* hiv* aids symptom* \
         treatment* therap* behandlung* medication* medicine* medikament* medikation* drug* arznei* \
         wirkstoff* result* *result befund* *befund* causeofdeath todesursache* genotype* genotyp* \
         genetic* mutation* disab* behinderung* addict* sucht* pregnan* schwanger* outcome* allerg* \
         tumor* cancer* krebs* bloodtype blutgruppe prozedur* procedure* laborwert*",
    ),
    (
        "a matter of money",
        "salary* income* *income wage* earning* gehalt* lohn* *einkommen* debt* schulden* creditscore \
         kredit* vermoegen* wealth*",
    ),
    ("a belief", "religio* konfession* glaube* political* partei* gewerkschaft* union"),
    ("a private matter", "sexual* orientation* criminal* straf* vorstraf* convict* offense* offence*"),
];

/// Texts in which anything can stand.
pub(super) const FREE_TEXT: &str = "comment* kommentar* remark* bemerkung* note notes notiz* freitext* freetext text description* \
     beschreibung* anamnes* memo letter brief arztbrief";

/// What says nothing about people, if it has few values.
pub(super) const HARMLESS: &str =
    "unit units einheit* currency waehrung* version* schema batch import* export*";
