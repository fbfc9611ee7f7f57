//! The words that column names are looked for, in small letters and without umlauts: English and German, and for people's names, births,
//! sex, places, contacts and numbers also French, Dutch, Spanish, Italian, Polish and Danish, with and without accents.
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
         login nickname benutzer* \
         nom noms prenom* prénom* nomdefamille nomnaissance nomdenaissance voornaam voornamen achternaam* naam \
         familienaam nombre nombres apellido* nome nomi cognome cognomi imie imię imiona nazwisko* fornavn* \
         efternavn* navn",
    ),
    (
        "a means of contact",
        "email* mail phone* *phone telefon* telephone* mobil mobile handy* fax* mobilnummer rufnummer \
         tel courriel portable gsm telefoon* *telefoon mobiel* telefono* teléfono* movil móvil correo cellulare \
         komorka komórka tlf mobiltelefon",
    ),
    (
        "an address",
        "address* addr adresse* anschrift* street* *strasse str hausnummer hausnr housenumber pobox \
         postfach rue voie adres* straat* *straat straatnaam huisnummer huisnr direccion* dirección* calle \
         domicilio indirizzo ulica ulicy vejnavn gade",
    ),
    (
        "a number of a person",
        "ssn socialsecurity* sozialversicherung* svnr rvnr steuernummer steuerid taxid tin passport* \
         reisepass* ausweis* personalausweis* identitycard nationalid mrn medicalrecord* \
         *versichertennummer versichertennr versichertenid versicherungsnummer versicherungsnr \
         krankenkassennummer krankenversichertennummer kvnr healthplan* beneficiary* insuranceid \
         insurancenumber patientennummer patientennr patientenid patientid pid patid patnr fallnummer \
         fallnr aktenzeichen personalnummer personnummer matrikel* mitgliedsnummer kundennummer kundennr \
         pseudonym* ipp nip nir nss numerosecu numerodossier numeropatient numéropatient numsecu bsn \
         burgerservicenummer patientnummer patientnr dossiernummer dni nif nhc numerohistoria expediente \
         securitesociale* sécuritésociale* nhsnumber nhsno ahvnr ahvnummer ahvn numeroavs \
         codicefiscale tesserasanitaria pesel cpr cprnr cprnummer personnr",
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
     paciente* paziente* pacjent* patiente* \
     spender* respondent* donator* resident* einwohner* case fall";

/// Numbers of something.
pub(super) const WEAK_NUMBERS: &str = "id ids uid uuid guid nr no num number nummer numero numéro número numer key kennung schluessel *nr *nummer rowid index zeile";

/// What others may know about a person.
pub(super) const QUASI_IDENTIFYING: &Words = &[
    (
        "a date of birth or an age",
        "age ages agegroup* agerange* ageband* agecat* agebracket* alter altersgruppe* altersklasse* altersband* altersstufe* birth* *birth born dob yob geburt* geboren* geb gebdat* gebjahr lebensalter jahrgang \
         âge naissance* *naissance ddn geboorte* leeftijd edad nacimiento* fechanacimiento eta età nascita \
         datanascita wiek urodzenia* urodzony foedsels* fødsels* foedt født alder",
    ),
    (
        "a sex or gender",
        "sex gender* geschl* sexe sexo genero género genre sesso genere geslacht plec płeć koen køn anrede salutation civilite civilité",
    ),
    (
        "a place",
        "zip* postal* postcode plz postleitzahl* city cities town ort wohnort* standort stadt* gemeinde* \
         municipality village kanton* canton* district* kreis landkreis* county state states bundesland* province* \
         region* country* land staat* wohn* residence neighborhood neighbourhood stadtteil latitude \
         longitude ville commune codepostal cp departement département pays woonplaats plaats stad gemeente \
         ciudad municipio codigopostal códigopostal provincia pais país citta città comune cap regione \
         kodpocztowy pocztowy miasto miejscowosc miejscowość wojewodztwo województwo kraj postnummer postnr \
         kommune bopael bopæl lat lon lng gps* koordinaten coordinates location",
    ),
    (
        "an origin",
        "race ethnic* hispanic* herkunft* nationalit* citizen* staatsangehoerig* migration* language* \
         sprache* muttersprache",
    ),
    (
        "a family status",
        "marital* marriage* married familienstand* verheiratet children kinder* household* haushalt* \
         spouse* ehe* relationship* etatcivil étatcivil estadocivil statocivile burgerlijkestaat \
         stancywilny civilstand",
    ),
    (
        "an education or occupation",
        "education* school* bildung* schul* *abschluss degree* occupation* beruf* job* profession* \
         employ* workclass* industry branche* taetigkeit* arbeitgeber*",
    ),
    (
        "a date others may know",
        "admission* admit* admitted aufnahme* discharge* entlass* death* died deceased tod todes* sterbe* \
         verstorben date* datum* *datum visit* besuch* year* jahr* *jahr month monat *monat quarter quartal timestamp* zeitstempel eintritt* \
         austritt* fecha* ingreso egreso opname* ontslag* przyjecia przyjęcia wypisu indlaeggelse* dato",
    ),
    (
        "a trait others can see",
        "height groesse koerpergroesse weight gewicht koerpergewicht bmi haarfarbe augenfarbe",
    ),
    (
        "an institution others may know",
        "insurance* insurer versicherung* krankenkasse* kasse* kostentraeger* ward station* department* \
         abteilung* fachabteilung* hospital* klinik* krankenhaus* clinic* arzt* physician* doctor*",
    ),
];

/// What must not be learnt about a person.
pub(super) const SENSITIVE: &Words = &[
    (
        "a matter of health",
        "diagnos* *diagnos* diag *diag icd* dx disease* illness* krankheit* *krankheit *erkrankung* hiv* aids symptom* \
         treatment* therap* behandlung* medication* medicine* medikament* medikation* drug* arznei* \
         wirkstoff* result* *result befund* *befund* causeofdeath todesursache* genotype* genotyp* \
         genetic* mutation* disab* behinderung* addict* sucht* pregnan* schwanger* outcome* allerg* \
         tumor* cancer* krebs* diagnóst* maladie* ziekte* enfermedad* malattia* choroba rozpoznanie sygdom* bloodtype blutgruppe prozedur* procedure* laborwert*",
    ),
    (
        "a matter of money",
        "salary* income* *income wage* earning* gehalt* lohn* *einkommen* debt* schulden* creditscore \
         kredit* vermoegen* wealth* salaire* salaris* inkomen salario* sueldo stipendio* reddito wynagrodzenie \
         indkomst loen løn",
    ),
    ("a belief", "religio* konfession* glaube* political* partei* gewerkschaft* union"),
    ("a private matter", "sexual* orientation* criminal* straf* vorstraf* convict* offense* offence*"),
];

/// Texts in which anything can stand.
pub(super) const FREE_TEXT: &str = "comment* kommentar* remark* bemerkung* anmerkung* hinweis* feedback* epikrise* verlauf verlaufs* annotation* \
     note notes notiz* freitext* *freitext freetext text description* \
     beschreibung* anamnes* memo letter brief arztbrief remarque* observacion* opmerking* osservazion* uwagi \
     bemaerkning* bemærkning*";

/// What says nothing about people, if it has few values.
pub(super) const HARMLESS: &str =
    "unit units einheit* currency waehrung* version* schema batch import* export*";
