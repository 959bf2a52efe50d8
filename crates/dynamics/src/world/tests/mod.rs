mod contacts;
